# Power and clock of the first four seconds of 200 steps.
file = 'figures/data/step-power.csv'
curve(what, most) = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"trace\" && p[4] == \"at\" { at[p[3]] = $2 } p[2] == \"trace\" && p[4] == \"%s\" { print at[p[3]] / 1e3 \",\" 100 * $2 / %d }' %s", what, most, file)
set xrange [-0.3:4]
set yrange [0:130]
set xlabel 'seconds since the first step'
set ylabel 'per cent of 700 W, of 1,980 MHz'
set label 1 'power' at 0.25, 116 textcolor rgb '#c0562f'
set label 2 'clock' at 3.3, 70 textcolor rgb '#4878a8'
plot 100 with lines lt 0, curve('clock', 1980) using 1:2 with steps lt 1, \
    curve('watts', 700) using 1:2 with steps lt 2
