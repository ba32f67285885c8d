# Bandwidth of reading one block by all multiprocessors against its size.
file = 'figures/data/hierarchy.csv'
curve = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"bw\" && p[3] == \"read\" { print p[4] \",\" $2 }' %s", file)
set logscale x 2
set xlabel 'size of the array, MiB'
set ylabel 'TB/s'
set xrange [0.8:2600]
set yrange [0:14.5]
set xtics (1, 4, 16, '60' 60, 256, 1024)
set arrow 1 from 60, graph 0 to 60, graph 0.85 nohead lt 5 dt 2
set label 1 'size of L2' at 66, 11.8 textcolor rgb '#010203'
plot curve using 1:2 with linespoints lt 1
