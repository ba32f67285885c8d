# A chain of kernels, launched one by one and as a graph.
file = 'figures/data/profiling.csv'
curve(what) = sprintf("< awk -F, '$1 ~ /^launches[.]%s[.]/ { sub(/^launches[.][a-z-]*[.]/, \"\", $1); if ($1 > 0) print $1 \",\" $2 }' %s", what, file)
set logscale xy 2
set xlabel 'µs that a kernel runs'
set ylabel 'µs that it takes in a chain'
set xrange [0.5:32]
set yrange [0.5:40]
set xtics (0.5, 1, 2, 4, 8, 16, 32)
set ytics (0.5, 1, 2, 4, 8, 16, 32)
set key top left
plot curve('done') using 1:2 with linespoints lt 2 title 'launched one by one', \
     curve('graph-done') using 1:2 with linespoints lt 1 title 'as a graph', \
     x with lines lt 5 dashtype 3 title 'the kernel alone'
