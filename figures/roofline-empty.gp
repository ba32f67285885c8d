# A roofline without kernels: two roofs, the ridge, and what places mean.
number_of(file, name) = real(system(sprintf("awk -F, '$1 == \"%s\" { v = $2 } END { print v }' %s", name, file)))
hbm = number_of('figures/data/hierarchy.csv', 'h200.bw.hbm.memcpy')
fp32 = number_of('figures/data/ceilings.csv', 'roof.fma.fp32')
ridge = fp32 / hbm
set logscale xy
set xrange [0.05:2000]
set yrange [0.05:300]
set xlabel 'arithmetic intensity: FLOP for each byte moved'
set ylabel 'rate: TFLOP/s'
set format x '%g'
set format y '%g'
set samples 400
set arrow 1 from ridge, 0.05 to ridge, fp32 nohead dashtype 3 lc rgb '#888888'
set label 1 sprintf('memory roof: %.2f TB/s', hbm) at 2.6, 2.6 * hbm * 1.5 center rotate by 35 textcolor rgb '#c0562f'
set label 2 sprintf('arithmetic roof: %.1f TFLOP/s', fp32) at 190, fp32 * 1.35 center textcolor rgb '#c0562f'
set label 3 sprintf('ridge: %.1f FLOP/B', ridge) at ridge * 1.12, 0.075 textcolor rgb '#888888'
set label 4 'no kernel can be here' at 0.085, 90 left textcolor rgb '#888888'
set label 5 'limited by memory' at 0.75, 0.13 center textcolor rgb '#010203'
set label 6 'limited by arithmetic' at 190, 0.13 center textcolor rgb '#010203'
# A kernel, and the three ways in which its point can move.
kx = 1.5
ky = 0.9
set arrow 2 from kx, ky * 1.25 to kx, kx * hbm * 0.86 lc rgb '#4878a8' lw 1.5
set arrow 3 from kx * 1.4, ky * 0.95 to 36, ky * 0.95 * 36 / (kx * 1.4) lc rgb '#4878a8' lw 1.5
set label 7 'A' at kx * 0.7, ky center textcolor rgb '#4878a8'
set label 8 'bytes faster' at kx * 1.12, 4.3 left textcolor rgb '#4878a8'
set label 9 'fewer bytes' at 24, 6.2 left textcolor rgb '#4878a8'
set label 10 'B' at 380, 8 center textcolor rgb '#4f8f4f'
set arrow 4 from 240, 10.5 to 240, fp32 * 0.86 lc rgb '#4f8f4f' lw 1.5
set label 11 'arithmetic faster' at 200, 24 right textcolor rgb '#4f8f4f'
plot x * hbm < fp32 ? x * hbm : fp32 with lines lt 2, \
    '+' every ::0::0 using (kx):(ky) with points lt 1 pt 7 ps 1.2, \
    '+' every ::0::0 using (240):(8) with points lt 3 pt 7 ps 1.2
