# A chain of sines in one kernel, and what it would take as kernels.
file = 'figures/data/fusion.csv'
curve(kind) = sprintf("< awk -F, '$1 ~ /^fusion[.]sines[.]%s[.][0-9]+[.]us$/ { split($1, a, \".\"); print a[4] \",\" $2 }' %s | sort -n", kind, file)
copy = real(system("awk -F, '$1 == \"fusion.waves.copy.us\" { print $2 }' ".file))
set logscale xy 2
set xlabel 'sines in the chain'
set ylabel 'µs'
set xrange [1:32]
set xtics (1, 2, 4, 8, 16, 32)
set ytics (125, 250, 500, 1000, 2000, 4000, 8000)
set key top left
plot curve('exact') using 1:2 with linespoints lt 1 title 'sinf, one kernel', \
     curve('unit') using 1:2 with linespoints lt 2 title '\_\_sinf, one kernel', \
     copy * x with lines lt 5 dashtype 3 title 'a kernel for each, by the law'
