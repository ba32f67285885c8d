# Cycles of one load on the H200 against the size of the array.
file = 'figures/data/hierarchy.csv'
curve = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"chase\" && p[4] == \"cycles\" { print p[3] \",\" $2 }' %s", file)
set logscale x 2
set xrange [3:3000000]
set yrange [0:760]
set xlabel 'size of the array'
set ylabel 'cycles for one load'
set xtics ('4 KiB' 4, '' 64, '224 KiB' 224, '' 2048, '30 MiB' 30720, '' 61440, '2 GiB' 2097152)
set arrow 1 from 30720, graph 0 to 30720, graph 0.92 nohead lt 5 dt 2
set arrow 2 from 61440, graph 0 to 61440, graph 0.98 nohead lt 5 dt 2
set label 1 'L1' at 30, 70 center textcolor rgb '#010203'
set label 2 'L2, near part' at 3000, 320 center textcolor rgb '#010203'
set label 3 'rest of L2' at 24000, 520 right textcolor rgb '#010203'
set label 4 'HBM' at 500000, 705 center textcolor rgb '#010203'
plot curve using 1:2 with linespoints lt 1
