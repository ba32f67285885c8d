# Lives (to the right) and addresses (upward) of the buffers of a training
# step of four layers of GPT-2, as the planner places them.
set xlabel 'step'
set ylabel 'address, MB'
set xrange [0:69]
set yrange [0:105]
set xtics ('embedding' 0, 'classifier' 34.5, 'embedding, back' 66)
set style fill solid 0.55 border lc rgb '#888888'
set key outside top center horizontal
data = 'figures/data/model-plan.csv'
box(k) = sprintf("< awk -F, '!/^#/ && $6 == %d' %s", k, data)
plot for [k = 0:2] box(k) \
    using (($2 + $3 + 1) / 2):(($4 + $5) / 2):2:($3 + 1):4:5 \
    with boxxyerror lw 0.4 lt (k + 1) \
    title word('kept gradient logits', k + 1)
