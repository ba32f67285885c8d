# TFLOP/s of attention by mma.sync over the sequence length, both directions.
file = 'figures/data/attention.csv'
rows(way) = sprintf("< for t in 256 512 1024 2048 4096 8192 16384; do awk -F, -v t=$t '$1 == \"attention.mma.%s.t\" t \".hs64.rate\" { print t \",\" $2 }' %s; done", way, file)
stats "< awk -F, '$1 == \"attention.mma-rate.rate\" { print $2 }' ".file nooutput
peak = STATS_max
set logscale x 2
set xrange [230:19000]
set yrange [0:*]
set xlabel 'T, tokens in a sequence'
set ylabel 'TFLOP/s'
set label 1 'mma.sync from registers' at 256, peak * 0.955 textcolor rgb '#c0562f'
set key bottom right
plot peak with lines lt 2 notitle, \
    rows('fwd') using 1:2 with linespoints lt 1 pt 7 title 'forward', \
    rows('bwd') using 1:2 with linespoints lt 3 pt 5 title 'backward'
