# GFLOP/s of each step of the ladder on one core, fastest run, with that core's peak.
file = 'figures/data/matmul.csv'
steps = 'naive reordered blocked portable avx2 avx512'
row(name) = sprintf("< awk -F, '$1 == \"%s\" { print $2 }' %s", name, file)
stats row('cpu.peak.1') nooutput
peak = STATS_max
set yrange [0:*]
set xrange [0.4:6.6]
set ylabel 'GFLOP/s, one core'
set boxwidth 0.6
set bmargin 4
set xtics scale 0
set style fill solid 0.85 noborder
set xtics ('three loops' 1, 'rows of b' 2, 'blocks of b' 3, \
    "packed,\nportable" 4, "packed,\nAVX2" 5, "packed,\nAVX-512" 6)
set label 1 'peak' at 0.5, peak * 0.965 textcolor rgb '#c0562f'
plot peak with lines lt 2, \
    for [i=1:6] row('ladder.'.word(steps, i).'.fastest') \
        using (i):1 with boxes lt 1, \
    for [i=1:6] row('ladder.'.word(steps, i).'.fastest') \
        using (i):($1 + peak * 0.03):(sprintf('%.3g', $1)) \
        with labels textcolor rgb '#010203'
