# Time of a gather against its stride, with two predictions from counts.
file = 'figures/data/hierarchy.csv'
curve = sprintf("< awk -F, '{ split($1, p, \".\") } p[2] == \"stride\" && p[4] == \"us\" { print p[3] \",\" $2 }' %s | sort -n", file)
stats sprintf("< awk -F, '$1 == \"h200.transpose.memcpy.gbs\" { print $2 }' %s", file) nooutput
gbs = STATS_max
n = 33.554432
least(a, b) = a < b ? a : b
sectors(s) = n * (32.0 * least(4 * s, 32) + 128) / 32 * 1e3 / gbs
pieces(s) = n * (least(128.0 * s, 2048) + 128) / 32 * 1e3 / gbs
set xlabel 'stride, in floats'
set ylabel 'µs'
set xrange [0:34]
set yrange [0:660]
set xtics (1, 4, 8, 12, 16, 24, 32)
set key bottom right
set samples 400
plot [0:34] (x >= 1 ? sectors(x) : 1/0) with lines lt 5 title 'sectors of 32 bytes', \
     (x >= 1 ? pieces(x) : 1/0) with lines lt 2 title 'pieces of 64 bytes', \
     curve using 1:2 with points lt 1 ps 0.9 title 'measured'
