# TFLOP/s of each product of a step: as taken, and the library's first choice.
file = 'figures/data/products.csv'
names = 'qkv.y proj.y fc.y mlp.y cls.y cls.dx cls.dw mlp.dx mlp.dw fc.dx fc.dw proj.dx proj.dw qkv.dx qkv.dw'
row(name) = sprintf("< awk -F, '$1 == \"products.%s\" { print $2 }' %s", name, file)
# the rate that a time of `what` means for the shape: rate times us / what
rate(name, what) = sprintf("< awk -F, '$1 == \"products.%s.rate\" { r = $2 } $1 == \"products.%s.us\" { u = $2 } $1 == \"products.%s.%s\" { w = $2 } END { print r * u / w }' %s", name, name, name, what, file)
stats row('square.rate') nooutput
peak = STATS_max
set yrange [0:1120]
set ytics 0, 200, 800
set xrange [0.3:15.7]
set ylabel 'TFLOP/s'
set boxwidth 0.62
set style fill solid 0.85 noborder
set xtics scale 0 rotate by 45 right
set bmargin 4
set key top right
do for [i=1:15] { set xtics add (word(names, i) i) }
plot peak with lines lt 2 title '8,192 cubed', \
    for [i=1:15] row(word(names, i).'.rate') \
        using (i):1 with boxes lt 1 title (i == 1 ? 'as taken' : ''), \
    for [i=1:15] rate(word(names, i), 'first') \
        using (i):1 with points pt 7 ps 0.6 lc rgb '#010203' title (i == 1 ? "the library's first choice" : ''), \
    for [i=1:15] rate(word(names, i), 'ours') \
        using (i):1 with points pt 4 ps 0.8 lw 1.5 lc rgb '#010203' title (i == 1 ? 'the portable kernel' : '')
