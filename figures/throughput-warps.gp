# The addition against bytes in flight: Little's law, and the copy.
file = 'figures/data/throughput.csv'
row(name) = sprintf("< awk -F, '$1 == \"throughput.%s\" { print $2 }' %s", name, file)
points(kernel, bytes) = sprintf("< awk -F, '$1 ~ /^throughput[.]%s[.]/ { sub(/.*[.]/, \"\", $1); print $1 * %d / 1024 \",\" $2 }' %s", kernel, bytes, file)
stats row('warps.1') nooutput
one = STATS_max
stats row('copy') nooutput
copy = STATS_max
set logscale xy
set xlabel 'KiB in flight on each SM'
set ylabel 'GB/s'
set xrange [0.3:120]
set yrange [80:8000]
set xtics (0.5, 1, 2, 4, 8, 16, 32, 64)
set ytics (100, 200, 500, 1000, 2000, 5000)
set key bottom right
plot one * x / 0.375 with lines lt 5 dashtype 2 title "Little's law, latency of the first point", \
     copy with lines lt 5 title 'copy', \
     points('warps', 384) using 1:2 with points lt 1 ps 1.2 title '4 bytes a thread', \
     points('warps4', 1536) using 1:2 with points lt 2 pt 6 ps 1.2 title '16 bytes a thread'
