# What 132 multiprocessors do in a product of 2,496 and in one of 2,560: each
# tile takes as long as the model of lessons/staircase.c says.  Three panels above
# each other; a row is: left, right, bottom, top, colour.
panel(base, tiles, m, K, colour) = sprintf("wave(%d, %d, %d, %d, %d); ", base, tiles, m, K, colour)
all = panel(320, 260, 192, 2496, 1).panel(160, 280, 192, 2560, 2).panel(0, 200, 256, 2560, 1)
rows = "< awk 'function wave(base, tiles, m, K, colour,  t, w, h) { t = 2 * m * 128 * K * 132 / 835e6; for (w = 0; tiles > 0; w++) { h = tiles < 132 ? tiles : 132; print w * t + 0.2 \",\" (w + 1) * t - 0.2 \",\" base \",\" base + h \",\" colour; tiles -= 132 } } BEGIN { ".all."}'"
set xrange [0:76]
set yrange [0:470]
set xlabel 'µs'
set ylabel 'multiprocessors'
set ytics ('0' 0, '132' 132, '0' 160, '132' 292, '0' 320, '132' 452)
set style fill solid 0.8 noborder
set label 1 '2,496' at 75, 420 right textcolor rgb '#010203'
set label 2 '260 tiles of 192×128' at 75, 395 right textcolor rgb '#010203'
set label 3 '2,560, the same tiles' at 75, 260 right textcolor rgb '#010203'
set label 4 '280' at 75, 235 right textcolor rgb '#010203'
set label 5 '2,560' at 75, 100 right textcolor rgb '#010203'
set label 6 '200 of 256×128' at 75, 75 right textcolor rgb '#010203'
plot rows using 1:3:1:2:3:4:5 with boxxyerror lc variable
