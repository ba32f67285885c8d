# The roofline of an H200, and the bf16 operators of GPT-2 that have been timed.
gpu = 'figures/data/ceilings.csv'
number_of(file, name) = real(system(sprintf("awk -F, '$1 == \"%s\" { v = $2 } END { print v }' %s", name, file)))
hbm = number_of('figures/data/hierarchy.csv', 'h200.bw.hbm.memcpy')
l2 = number_of('figures/data/hierarchy.csv', 'h200.bw.read.24')
shared = number_of('figures/data/hierarchy.csv', 'h200.bw.shared')
fp32 = number_of(gpu, 'roof.fma.fp32')
tensor = number_of(gpu, 'power.normal')
burst = number_of(gpu, 'roof.wgmma.bf16')
points = "< awk -v set=bf16 -f figures/roofline-points.awk figures/data/roofline-operators.csv $(ls figures/data/fused.csv figures/data/attention.csv figures/data/flash-bwd.csv figures/data/attention-hopper.csv figures/data/gpu-profile.txt 2> /dev/null)"
set logscale xy
set xrange [0.05:4000]
set yrange [0.08:2500]
set xlabel 'FLOP per byte of memory'
set ylabel 'TFLOP/s'
set format x '%g'
set format y '%g'
set samples 400
roof(x, flops, bytes) = x * bytes < flops ? x * bytes : flops
set label 1 'tensor cores, 0.5 ms' at 1400, burst * 1.28 center textcolor rgb '#888888'
set label 6 'sustained' at 2500, tensor * 0.76 center textcolor rgb '#c0562f'
set label 7 'matmuls' at 1500, 300 center font ',11' textcolor rgb '#010203'
set label 2 'fp32' at 1600, fp32 * 1.35 center textcolor rgb '#c0562f'
set label 3 'memory' at 17, 17 * hbm * 1.42 rotate by 32.9 textcolor rgb '#c0562f'
set label 4 'L2' at 36, 36 * l2 * 1.5 rotate by 32.9 textcolor rgb '#888888'
set label 5 'shared memory' at 1.6, 1.6 * shared * 1.5 rotate by 32.9 textcolor rgb '#888888'
set key at graph 0.98, graph 0.25 right
plot x <= tensor / shared ? x * shared : 1/0 with lines lt 5 lw 1, \
    x <= tensor / l2 ? x * l2 : 1/0 with lines lt 5 lw 1, \
    x >= tensor / hbm ? roof(x, burst, hbm) : 1/0 with lines lt 5 lw 1, \
    roof(x, tensor, hbm) with lines lt 2, \
    x >= fp32 / hbm ? fp32 : 1/0 with lines lt 2, \
    points using 1:($3 == 0 ? $2 : 1/0) with points lt 1 pt 7 ps 0.8 title 'forward', \
    points using 1:($3 == 1 ? $2 : 1/0) with points lt 1 pt 6 ps 0.8 title 'backward', \
    points using 5:6:4 with labels font ',11' textcolor rgb '#010203'
