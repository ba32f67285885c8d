# Time of one load on the host's CPU against the size of the array.
file = 'figures/data/hierarchy-cpu.csv'
curve(name) = sprintf("< awk -F, '{ split($1, p, \".\") } p[1] == \"cpu\" && p[2] == \"chase\" && p[3] == \"%s\" { print p[4] \",\" $2 }' %s", name, file)
set logscale x 2
set logscale y
set xrange [3:1500000]
set yrange [1:300]
set xlabel 'size of the array'
set ylabel 'ns for one load'
set xtics ('4 KiB' 4, '48 KiB' 48, '2 MiB' 2048, '12 MiB' 12288, '' 65536, '1 GiB' 1048576)
set key top left
set arrow 1 from 48, graph 0 to 48, graph 0.55 nohead lt 5 dt 2
set arrow 2 from 2048, graph 0 to 2048, graph 0.72 nohead lt 5 dt 2
set label 1 'first level' at 13, 1.9 center textcolor rgb '#010203'
set label 2 'second' at 310, 6.2 center textcolor rgb '#010203'
set label 3 'third' at 5200, 50 center textcolor rgb '#010203'
set label 4 'memory' at 100000, 70 center textcolor rgb '#010203'
plot curve('small') using 1:2 with linespoints lt 2 title 'pages of 4 KiB', \
     curve('huge') using 1:2 with linespoints lt 1 title 'pages of 2 MiB'
