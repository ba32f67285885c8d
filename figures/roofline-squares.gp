# The rate of square products against their size, and two models of it.
row(what) = sprintf("< awk -F, '{ split($1, p, \".\") } p[1] \".\" p[2] == \"%s\" && p[4] == \"\" && p[3] + 0 { print p[3] \",\" $2 }' figures/data/%s.csv", what, what[1:5] eq 'sweep' ? 'matmul-sweep' : 'staircase')
set xrange [0:8200]
set yrange [0:880]
set xlabel 'size of the three matrices'
set ylabel 'TFLOP/s'
set key at graph 0.98, graph 0.27 right
plot row('stair.one') using 1:2 with lines lt 5 lw 1 title 'one tile of 256×128', \
    row('stair.given') using 1:2 with lines lt 2 lw 1.2 title 'the model, with the tile that the library takes', \
    row('sweep.64') using 1:2 with points lt 1 pt 7 ps 0.35 title 'measured'
