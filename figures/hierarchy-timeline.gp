# When the stages of each piece ran: 256 MiB in one piece, and in eight.
file = 'figures/data/hierarchy.csv'
bars(pieces) = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"timeline\" && p[3] == %d { t[p[4], p[5]] = $2 } END { for (i = 0; i < %d; i++) for (w = 0; w < 3; w++) { a = t[i, w]; if (i && t[i - 1, w + 1] > a) a = t[i - 1, w + 1]; print i \",\" w \",\" a \",\" t[i, w + 1] } }' %s", pieces, pieces, file)
lane(w, base) = base - w
set xlabel 'ms'
set xrange [0:15.2]
set yrange [-0.6:7.6]
set ytics ('out' 0, 'kernel' 1, 'in' 2, 'out' 5, 'kernel' 6, 'in' 7) scale 0
set style fill solid 0.75 border rgb '#888888'
set label 1 'one piece' at 15, 7 right textcolor rgb '#010203'
set label 2 'eight pieces' at 15, 2 right textcolor rgb '#010203'
plot for [w=0:2] bars(1) using ($2 == w ? $3 : 1/0):(7 - w):3:4:(7 - w - 0.38):(7 - w + 0.38) with boxxyerror lt w + 1, \
     for [w=0:2] bars(8) using ($2 == w ? $3 : 1/0):(2 - w):3:4:(2 - w - 0.38):(2 - w + 0.38) with boxxyerror lt w + 1
