# Parts of a training step: what each took, and what chapter 18 allows it.
file = 'figures/data/gpu-budget.csv'
rows = sprintf("< grep -v '^#' %s | tail -n +2", file)
set xlabel 'ms of a step'
set yrange [10.2:-0.6]
set xrange [0:*]
set ytics scale 0
set style fill solid 0.75 noborder
set key bottom right
set lmargin 24
plot rows using (0):0:(0):3:($0 - 0.32):($0 + 0.32):ytic(1) with boxxyerror \
       lt 1 title 'took', \
     rows using 2:0:(0):(0.42) with vectors nohead lt 2 lw 3 notitle, \
     rows using 2:($0 + 0.42):(0):(-0.84) with vectors nohead lt 2 lw 3 title 'allowed'
