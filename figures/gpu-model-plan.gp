# Bytes alive in each step of the calendar, GPT-2 124M, B = 64, T = 1024.
file = 'figures/data/gpu-model-plan.csv'
curve(k) = sprintf("< grep -v '^#' %s | tail -n +2", file)
set xlabel 'step of the calendar'
set ylabel 'GB alive'
set xrange [0:196]
set yrange [0:29]
set key top left reverse Left
plot curve(2) using 1:2 with lines lt 1 title 'none', \
     curve(3) using 1:3 with lines lt 3 title 'gelu', \
     curve(4) using 1:4 with lines lt 4 title 'gelu+layernorm', \
     curve(5) using 1:5 with lines lt 2 title 'block'
