# Error of the central difference of GELU at 0.7 against the step.
set xlabel 'step h'
set ylabel 'error'
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xrange [1e-14:0.3]
set yrange [1e-12:1]
set datafile separator ','
set datafile missing ''
set key top left
data = "< grep -v -e '^#' -e '^h' figures/data/ops-differences.csv"
plot data using 1:2 with linespoints pt 7 ps 0.5 lt 1 title 'double', \
     data using 1:3 with linespoints pt 7 ps 0.5 lt 2 title 'float'
