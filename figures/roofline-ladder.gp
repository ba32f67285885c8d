# The matmuls of the ladder, 4096 x 4096 in fp32: at the FLOP for each byte
# that the matrices have, and at the FLOP for each byte that is loaded.  The
# second is counted by the software GPU for 256 x 256; the count of version
# 12 leaves out what cp.async brings, as much again.
number_of(file, name) = real(system(sprintf("awk -F, '$1 == \"%s\" { v = $2 } END { print v }' %s", name, file)))
hbm = number_of('figures/data/hierarchy.csv', 'h200.bw.hbm.memcpy')
l2 = number_of('figures/data/hierarchy.csv', 'h200.bw.read.24')
l1 = number_of('figures/data/hierarchy.csv', 'h200.bw.l1')
fp32 = number_of('figures/data/ceilings.csv', 'roof.fma.fp32')
rate(v) = number_of('figures/data/gpu-matmul.csv', sprintf('matmul.4096.v%d.tflops', v))
loaded(v) = 2 * 256.**3 / number_of('figures/data/gpu-matmul-counts.csv', sprintf('matmul.count.v%d.read', v)) / (v == 12 ? 2 : 1)
set logscale xy
set xrange [0.03:3000]
set yrange [0.2:200]
set xlabel 'FLOP per byte'
set ylabel 'TFLOP/s'
set format x '%g'
set format y '%g'
set samples 400
set label 1 'HBM' at 0.45, 0.45 * hbm * 0.62 center rotate by 39 textcolor rgb '#c0562f'
set label 2 'L2' at 3.3, 3.3 * l2 * 1.45 center rotate by 39 textcolor rgb '#888888'
set label 3 'L1' at 0.12, 0.12 * l1 * 1.5 center rotate by 39 textcolor rgb '#888888'
set label 4 'fp32' at 250, fp32 * 1.35 center textcolor rgb '#c0562f'
set label 11 '1' at loaded(1), rate(1) * 1.5 center textcolor rgb '#010203'
set label 12 '2' at loaded(2) * 0.72, rate(2) * 1.1 center textcolor rgb '#010203'
set label 13 '3' at loaded(3), rate(3) * 0.72 center textcolor rgb '#010203'
set label 14 '4' at loaded(4) * 0.75, rate(4) center textcolor rgb '#010203'
set label 15 '5' at loaded(5) * 1.35, rate(5) * 0.95 center textcolor rgb '#010203'
set label 16 '12' at loaded(12) * 1.5, rate(12) * 0.9 center textcolor rgb '#010203'
set label 17 'the matrices’ own bytes' at 2400, 0.3 right textcolor rgb '#4878a8'
ladder = '1 2 3 4 5 12'
plot x * l1 < fp32 ? x * l1 : 1/0 with lines lt 5 lw 1, \
    x * l2 < fp32 ? x * l2 : 1/0 with lines lt 5 lw 1, \
    x * hbm < fp32 ? x * hbm : fp32 with lines lt 2, \
    '+' every ::0::5 using (loaded(int(word(ladder, int($0) + 1)))):(rate(int(word(ladder, int($0) + 1)))) with linespoints lt 4 lw 1.5 pt 7 ps 0.9, \
    '+' every ::0::5 using (4096. / 6):(rate(int(word(ladder, int($0) + 1)))) with points lt 1 pt 6 ps 0.8
