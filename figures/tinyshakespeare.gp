# Loss of a small GPT-2 on TinyShakespeare, beside the two yardsticks.
set datafile commentschars '#'
set xlabel 'step'
set ylabel 'loss, nats per token'
set xrange [0:760]
set yrange [3.5:11.2]
file = 'figures/data/tinyshakespeare.csv'
set label 'ln V' at 100,10.55
set label 'entropy of single tokens' at 480,6.6
set key at 740,9.8
plot 10.825 with lines lt 5 dt 2 notitle, \
     6.314 with lines lt 5 dt 2 notitle, \
     file every ::1 using 1:2 with lines lt 1 lw 1 title 'training batch', \
     "< awk -F, '!/^#/ && $3 != \"\" && $1 > 0' figures/data/tinyshakespeare.csv" \
         using 1:3 with linespoints lt 2 title 'validation'
