# A step against the tokens in it.
ours = 'figures/data/gpu-step.csv'
theirs = 'figures/data/torch-step.csv'
points(file, of, way) = sprintf("< awk -F, '$1 ~ /^%s[.]gpt2[.]b[0-9]+([.]t[0-9]+)?[.]%s$/ || $1 ~ /^%s[.]gpt2[.]b[0-9]+[.]%s$/ { n = split($1, p, \".\"); b = substr(p[3], 2); t = 1024; for (i = 4; i <= n; i++) if (p[i] ~ /^t[0-9]+$/) t = substr(p[i], 2); print b * t \",\" $2 }' %s | sort -t, -n", of, way, of, way, file)
eager = "< awk -F, '$1 ~ /^torch[.]gpt2[.]b[0-9]+[.]eager([.]t[0-9]+)?[.]step$/ { n = split($1, p, \".\"); b = substr(p[3], 2); t = p[5] ~ /^t[0-9]/ ? substr(p[5], 2) : 1024; print b * t \",\" $2 }' figures/data/torch-step.csv | sort -t, -n"
set logscale xy
set xlabel 'tokens in a step'
set ylabel 'ms'
set xrange [50:170000]
set yrange [2:300]
set xtics (64, 256, '1k' 1024, '4k' 4096, '16k' 16384, '64k' 65536)
set ytics (2, 5, 10, 20, 50, 100, 200)
set key top left
plot eager using 1:2 with linespoints lt 2 title 'PyTorch, eager', \
     points(ours, 'step', 'bf16[.]launches[.]time') using 1:2 with linespoints lt 3 title 'ours, by launches', \
     points(ours, 'step', 'bf16[.]time') using 1:2 with linespoints lt 1 title 'ours, as a graph'
