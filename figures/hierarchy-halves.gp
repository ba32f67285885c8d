# How many of 2,048 lines in L2 are how far from one multiprocessor.
file = 'figures/data/hierarchy.csv'
curve = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"l2\" && p[3] == \"one\" && p[4] == \"hist\" { print p[5] \",\" $2 }' %s", file)
set xlabel 'cycles for one load'
set ylabel 'lines'
set xrange [240:330]
set yrange [0:*]
set boxwidth 7
set style fill solid 0.85 noborder
plot curve using 1:2 with boxes lt 1
