# Bandwidth of cudaMemcpy against its size, pinned and pageable.
file = 'figures/data/hierarchy.csv'
curve(way, kind) = sprintf("< awk -F, '{ n = split($1, p, \".\") } n == 4 && p[2] == \"%s\" && p[3] == \"%s\" { print p[4] \",\" $2 }' %s", way, kind, file)
set logscale x 4
set xlabel 'size of the copy'
set ylabel 'GB/s'
set xrange [3:350000]
set yrange [0:62]
set xtics ('4 KiB' 4, '64 KiB' 64, '1 MiB' 1024, '16 MiB' 16384, '256 MiB' 262144)
set key top left
plot curve('in', 'pinned') using 1:2 with linespoints lt 1 title 'pinned, to the GPU', \
     curve('out', 'pinned') using 1:2 with linespoints lt 1 dt 2 title 'pinned, back', \
     curve('in', 'pageable') using 1:2 with linespoints lt 2 title 'pageable, to the GPU', \
     curve('out', 'pageable') using 1:2 with linespoints lt 2 dt 2 title 'pageable, back'
