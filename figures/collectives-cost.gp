# All-reduce over 64 ranks, by the formulas: 10 us a message, 50 GB/s.
P = 64
alpha = 10e-6
beta = 1 / 50e9
set logscale xy
set xrange [1e3:1e9]
set yrange [3e-2:500]
set xlabel 'bytes of the array'
set ylabel 'ms'
set format x '10^{%T}'
set format y '%g'
set samples 300
set key top left
log2(x) = log(x) / log(2)
plot 1e3 * (2 * (P - 1) * alpha + 2.0 * (P - 1) / P * x * beta) with lines lt 1 title 'ring', \
     1e3 * (2 * log2(P) * (alpha + x * beta)) with lines lt 2 title 'tree', \
     1e3 * (log2(P) * (alpha + x * beta)) with lines lt 3 title 'doubling', \
     1e3 * (2 * log2(P) * alpha + 2.0 * (P - 1) / P * x * beta) with lines lt 4 title 'halving'
