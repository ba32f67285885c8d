# The roofline of two cores, and GPT-2's operators on it.
file = 'figures/data/roofline-cpu.csv'
number_of(name) = real(system(sprintf("awk -F, '$1 == \"cpuroof.%s\" { v = $2 } END { print v / 1e3 }' %s", name, file)))
memory = number_of('memory.2')
l2 = number_of('l2.2')
l1 = number_of('l1.2')
avx512 = number_of('avx512.2')
avx2 = number_of('avx2.2')
scalar = number_of('scalar.2')
points = "< awk -v set=cpu -f figures/roofline-points.awk figures/data/roofline-operators.csv ".file
set logscale xy
set xrange [0.05:400]
set yrange [0.001:0.7]
set xlabel 'FLOP per byte of memory'
set ylabel 'GFLOP/s'
set format x '%g'
set ytics ('1' 0.001, '10' 0.01, '100' 0.1)
set samples 400
roof(x, flops, bytes) = x * bytes < flops ? x * bytes : flops
set label 1 'AVX-512' at 380, avx512 * 1.17 right textcolor rgb '#c0562f'
set label 2 'AVX2' at 380, avx2 * 1.17 right textcolor rgb '#888888'
set label 4 'one float at a time' at 380, scalar * 1.17 right textcolor rgb '#888888'
set label 5 'memory' at 1.25, 1.25 * memory * 1.3 rotate by 39 textcolor rgb '#c0562f'
set label 6 'L2' at 0.07, 0.07 * l2 * 1.35 rotate by 39 textcolor rgb '#888888'
set label 7 'L1' at 0.07, 0.07 * l1 * 1.35 rotate by 39 textcolor rgb '#888888'
set key at graph 0.98, graph 0.2 right
plot x <= avx512 / l1 ? x * l1 : 1/0 with lines lt 5 lw 1, \
    x <= avx512 / l2 ? x * l2 : 1/0 with lines lt 5 lw 1, \
    x >= avx2 / memory ? avx2 : 1/0 with lines lt 5 lw 1, \
    x >= scalar / memory ? scalar : 1/0 with lines lt 5 lw 1, \
    roof(x, avx512, memory) with lines lt 2, \
    points using 1:($3 == 0 ? $2 : 1/0) with points lt 1 pt 7 ps 0.8 title 'forward', \
    points using 1:($3 == 1 ? $2 : 1/0) with points lt 1 pt 6 ps 0.8 title 'backward', \
    points using 5:6:4 with labels font ',11' textcolor rgb '#010203'
