# Attention forward, one layer of GPT-2 124M at B = 64, T = 1024: each version's rate.
file = 'figures/data/attention-hopper.csv'
steps = 'block-a-tile in-order late-output overlap final'
row(name) = sprintf("< awk -F, '$1 == \"%s\" { print $2 }' %s", name, file)
set yrange [0:940]
set xrange [0.4:5.6]
set ylabel 'TFLOP/s'
set boxwidth 0.6
set bmargin 4
set xtics scale 0
set style fill solid 0.85 noborder
set xtics ("1: a block\na work tile" 1, "2: persistent\nblocks" 2, "3: output\none step late" 3, \
    "4: waits\nmoved" 4, "5: three\nconsumers" 5)
serial = 103079.2 / (1024 * 768 * 72 / 132.0 / 1790)
set label 1 'matmuls and exponentials one after the other' at 0.5, serial + 26 textcolor rgb '#c0562f'
set label 2 'perfect overlap' at 0.5, 2 * serial + 26 textcolor rgb '#c0562f'
plot serial with lines lt 2, 2 * serial with lines lt 2, \
    for [i=1:5] row('hopper.fwd.'.word(steps, i).'.rate') \
        using (i):1 with boxes lt 1, \
    for [i=1:5] row('hopper.fwd.'.word(steps, i).'.rate') \
        using (i):($1 + 24):(sprintf('%.3g', 1.0001 * $1)) \
        with labels textcolor rgb '#010203'
