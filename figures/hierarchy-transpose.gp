# Each transpose of the ladder in per cent of the runtime's copy.
file = 'figures/data/hierarchy.csv'
steps = 'v1 v2 v3 copy4 v4 v5 v6 v7 copy16'
row(name) = sprintf("< awk -F, '$1 == \"h200.transpose.%s.percent\" { print $2 }' %s", name, file)
set yrange [0:112]
set xrange [0.4:9.6]
set ylabel 'per cent of the copy'
set boxwidth 0.6
set bmargin 4
set xtics scale 0
set style fill solid 0.85 noborder
set xtics ("1\nreads" 1, "2\nwrites" 2, "3\ntile" 3, "copy,\n4 bytes" 4, \
    "4\npadded" 5, "5\nswizzle" 6, "6\n4×4" 7, "7\nwide" 8, "copy,\n16 bytes" 9)
iscopy(i) = word(steps, i)[1:1] eq 'c'
plot 100 with lines lt 2, \
    for [i=1:9] row(word(steps, i)) using (i):1 with boxes lt (iscopy(i) ? 5 : 1), \
    for [i=1:9] row(word(steps, i)) using (i):(($1 > 92 && $1 < 100 ? 100 : $1) + 4):(sprintf('%.0f', $1)) \
        with labels textcolor rgb '#010203'
