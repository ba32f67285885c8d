# GPUs since 2007: arithmetic, memory and links, with the published slopes.
file = 'figures/data/gpus.csv'
set logscale y
set format y '10^{%T}'
set xrange [2006:2026]
set yrange [10:1e8]
set xtics 4
set ylabel 'GFLOP/s or GB/s'
set key top left
slope(x, from, y, rate) = y * rate**((x - from) / 2)
plot slope(x, 2007, 345.6, 3.0) with lines lt 1 dashtype 2 title '×3.0 in two years', \
     slope(x, 2007, 76.8, 1.6) with lines lt 2 dashtype 2 title '×1.6 in two years', \
     x < 2016 ? 1/0 : slope(x, 2016, 160, 1.4) with lines lt 3 dashtype 2 title '×1.4 in two years', \
     file using 2:(1000 * column('matmul_tflops')) with points lt 1 ps 1 title 'matrix arithmetic', \
     file using 2:(1000 * column('fp32_tflops')) with points lt 4 pt 6 ps 1 title 'float32 arithmetic', \
     file using 2:(column('memory_gbs')) with points lt 2 ps 1 title 'own memory', \
     file using 2:(column('nvlink_gbs')) with points lt 3 ps 1 title 'links to other GPUs'
