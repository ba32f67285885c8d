# Gradients in fp16 against the scale of the loss.
set datafile separator ','
file = 'figures/data/low-precision-scale.csv'
set xlabel 'the loss times 2 to the power of'
set ylabel '%'
set xrange [-8:32]
set yrange [0:105]
set key at graph 0.98, graph 0.5 right
plot file using 1:2 with lines lt 2 title 'zero', \
     file using 1:3 with lines lt 3 title 'subnormal', \
     file using 1:(100 - $2 - $3 - $4) with lines lt 1 title 'normal'
