# Chains of sigmoids, forward and backward: results kept, or recomputed.
file = 'figures/data/recomputation.csv'
curve(kind) = sprintf("< awk -F, '$1 ~ /^recompute[.]chain[.]%s[.][0-9]+[.]us$/ { split($1, a, \".\"); print a[4] \",\" $2 }' %s | sort -n", kind, file)
set xlabel 'sigmoids in the chain'
set ylabel 'µs, both passes'
set xrange [0:16]
set yrange [0:*]
set key top left
plot curve('keep') using 1:2 with linespoints lt 2 title 'results kept', \
     curve('again') using 1:2 with linespoints lt 1 title 'recomputed'
