# How far each run is from the one in double precision.
file = 'figures/data/curves-precision.csv'
off(c) = sprintf("< awk -F, '$1 ~ /^[0-9]/ { d = $%d - $2; if (d < 0) d = -d; if (d < 1e-7) d = 1e-7; print $1 \",\" d }' %s", c, file)
set logscale y
set xlabel 'step'
set ylabel 'loss, distance from fp64'
set xrange [0:200]
set yrange [5e-8:0.1]
set format y '10^{%T}'
set key outside top center maxrows 3 samplen 3
plot off(7) using 1:2 with lines lt 1 lw 1.5 title 'ours, bf16', \
     off(6) using 1:2 with lines lt 2 lw 1.5 title 'PyTorch, bf16', \
     off(5) using 1:2 with lines lt 1 lw 1 dashtype 2 title 'ours, fp32, H200', \
     off(4) using 1:2 with lines lt 3 lw 1 dashtype 2 title 'ours, fp32, processor', \
     off(3) using 1:2 with lines lt 2 lw 1 dashtype 2 title 'PyTorch, fp32'
