# A weight in bf16 that should move by 1e-5 in each step.
set datafile separator ','
file = 'figures/data/low-precision-walk.csv'
set xlabel 'step'
set ylabel 'weight'
set xrange [0:1000]
set yrange [0.0190:0.0312]
set key top left
plot file using 1:2 with lines lt 5 lw 3 title 'in fp32', \
     file using 1:4 with steps lt 2 title 'one weight, by chance', \
     file using 1:5 with lines lt 1 title 'mean of 1,000, by chance', \
     file using 1:3 with lines lt 3 lw 2 title 'to nearest'
