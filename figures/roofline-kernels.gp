# The kernels of the chapters before, and four matmuls, on the roofline.
number_of(file, name) = real(system(sprintf("awk -F, '$1 == \"%s\" { v = $2 } END { print v }' %s", name, file)))
hbm = number_of('figures/data/hierarchy.csv', 'h200.bw.hbm.memcpy')
fp32 = number_of('figures/data/ceilings.csv', 'roof.fma.fp32')
transpose(what) = number_of('figures/data/hierarchy.csv', 'h200.transpose.' . what . '.gbs') / 8e3
add(what) = number_of('figures/data/throughput.csv', 'throughput.' . what) / 12e3
matmul(v) = number_of('figures/data/gpu-matmul.csv', 'matmul.4096.' . v . '.tflops')
set logscale xy
set xrange [0.004:4000]
set yrange [0.03:200]
set xlabel 'operations per byte'
set ylabel '10¹² operations/s'
set format x '%g'
set format y '%g'
set samples 400
set label 1 'memory' at 1.4, 1.4 * hbm * 1.5 center rotate by 37 textcolor rgb '#c0562f'
set label 2 'fp32' at 60, fp32 * 1.35 center textcolor rgb '#c0562f'
n = 4096. / 6
set label 11 'copy' at 0.125 * 1.35, transpose('copy16') * 1.2 left textcolor rgb '#010203'
set label 12 'transpose 7' at 0.125 * 1.35, transpose('v7') * 0.8 left textcolor rgb '#010203'
set label 14 'transpose 2' at 0.125 * 1.35, transpose('v2') * 0.95 left textcolor rgb '#010203'
set label 15 'transpose 1' at 0.125 * 1.35, transpose('v1') left textcolor rgb '#010203'
set label 16 'wide addition' at 0.062, add('add4') * 1.55 right textcolor rgb '#010203'
set label 17 'addition' at 0.062, add('add') * 1.3 right textcolor rgb '#010203'
set label 18 'matmul 1' at n * 0.75, matmul('v1') right textcolor rgb '#010203'
set label 19 'matmul 3' at n * 0.75, matmul('v3') * 1.2 right textcolor rgb '#010203'
set label 21 'matmul 2' at n * 0.75, matmul('v2') * 0.83 right textcolor rgb '#010203'
set label 20 'matmul 12' at n * 0.75, matmul('v12') * 0.82 right textcolor rgb '#010203'
plot x * hbm < fp32 ? x * hbm : fp32 with lines lt 2, \
    for [w in 'copy16 v7 v2 v1'] '+' every ::0::0 using (0.125):(transpose(w)) with points lt 1 pt 7 ps 0.8, \
    for [w in 'add add4'] '+' every ::0::0 using (1. / 12):(add(w)) with points lt 3 pt 7 ps 0.8, \
    for [w in 'v1 v2 v3 v12'] '+' every ::0::0 using (n):(matmul(w)) with points lt 4 pt 7 ps 0.8
