# The rate of one product, repeated for two seconds, by what is multiplied.
file = 'figures/data/ceilings.csv'
curve(kind) = sprintf("< awk -F, '{ split($1, p, \".\") } p[1] == \"power\" && p[2] == \"%s\" && p[4] == \"at\" { at[p[3]] = $2 } p[1] == \"power\" && p[2] == \"%s\" && p[4] == \"rate\" { print at[p[3]] / 1e3 \",\" $2 }' %s", kind, kind, file)
set xrange [0:2.4]
set yrange [500:900]
set xlabel 'seconds since it began'
set ylabel 'TFLOP/s'
set label 1 'all one' at 2.0, 775 textcolor rgb '#4878a8'
set label 2 'integers, −2 to 2' at 1.95, 725 textcolor rgb '#4f8f4f'
set label 3 'normal' at 2.2, 628 textcolor rgb '#c0562f'
plot curve('one') using 1:2 with lines lt 1, \
    curve('small') using 1:2 with lines lt 3, \
    curve('normal') using 1:2 with lines lt 2
