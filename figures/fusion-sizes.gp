# sin^2 x + cos^2 x: five kernels, the same as a graph, and one kernel.
file = 'figures/data/fusion.csv'
curve(kind) = sprintf("< awk -F, '$1 ~ /^fusion[.]size[.][0-9]+[.]%s[.]us$/ { split($1, a, \".\"); print a[3] \",\" $2 }' %s | sort -n", kind, file)
set logscale xy 2
set xlabel 'numbers'
set ylabel 'µs'
set xrange [1024:70000000]
set xtics ('2^{10}' 1024, '2^{14}' 16384, '2^{18}' 262144, '2^{22}' 4194304, '2^{26}' 67108864)
set ytics (1, 4, 16, 64, 256, 1024)
set key top left
plot curve('five') using 1:2 with linespoints lt 2 title 'five kernels', \
     curve('graph') using 1:2 with linespoints lt 1 title 'five kernels as a graph', \
     curve('one') using 1:2 with linespoints lt 3 title 'one kernel'
