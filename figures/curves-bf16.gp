# Runs that differ in the last place of their weights: distance from the mean
# of PyTorch's.
file = 'figures/data/curves-bf16.csv'
run(name) = sprintf("< awk -F, '$1 == \"step\" { for (i = 2; i <= NF; i++) { if ($i == \"%s\") c = i; if ($i ~ /^torch/) { t[i] = 1; m++ } } next } $1 ~ /^[0-9]/ && $c != \"\" { s = n = 0; for (i in t) if ($i != \"\") { s += $i; n++ } if (n == m) print $1 \",\" $c - s / n }' %s", name, file)
set xlabel 'step'
set ylabel 'loss, from the mean of PyTorch''s runs'
set xrange [0:1000]
set yrange [-0.08:0.06]
set key top right
set arrow 1 from 0, 0 to 1000, 0 nohead lc rgb '#888888' lw 1
plot for [i=1:4] run(sprintf('torch%d', i)) using 1:2 with lines lt 2 lw 1.5, \
     for [i=1:4] run(sprintf('ours%d', i)) using 1:2 with lines lt 1 lw 1.5, \
     NaN with lines lt 2 lw 1.5 title 'PyTorch, bf16', \
     NaN with lines lt 1 lw 1.5 title 'ours, bf16'
