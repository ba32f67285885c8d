# The four schedules: 1000 steps, 100 of warm-up, last rate 0.1, cooldown 0.2.
set xlabel 'step'
set ylabel 'learning rate / highest'
set xrange [0:1000]
set yrange [0:1.08]
set key bottom left
set samples 501
x(s) = (s - 100) / 900.0
up(s) = s / 100.0
linear(s) = s < 100 ? up(s) : 1 - 0.9 * x(s)
cosine(s) = s < 100 ? up(s) : 1 - 0.9 * (1 - cos(pi * x(s))) / 2
wsd(s) = s < 100 ? up(s) : x(s) < 0.8 ? 1 : 1 - 0.9 * (x(s) - 0.8) / 0.2
constant(s) = s < 100 ? up(s) : 1
plot constant(x) with lines lt 5 title 'constant', \
     wsd(x) with lines lt 3 title 'wsd', \
     cosine(x) with lines lt 1 title 'cosine', \
     linear(x) with lines lt 2 title 'linear'
