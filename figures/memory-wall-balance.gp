# Operations a GPU can do for each byte its memory delivers.
file = 'figures/data/gpus.csv'
set logscale y
set xrange [2006:2026]
set yrange [1:1000]
set xtics 4
set ylabel 'FLOP per byte'
set key top left
set label 1 'A100 40 GB, 80 GB' at 2019.6, 225 right textcolor rgb '#010203'
set label 2 'RTX 4090' at 2022.5, 84 textcolor rgb '#010203'
set label 3 'H100' at 2021.6, 330 right textcolor rgb '#010203'
set label 4 'H200' at 2023.4, 195 textcolor rgb '#010203'
set label 5 'V100' at 2016.8, 108 right textcolor rgb '#010203'
set label 6 'B200' at 2024.4, 300 textcolor rgb '#010203'
plot file using 2:(1000 * column('matmul_tflops') / column('memory_gbs')) \
         with points lt 1 ps 1.2 title 'matrix arithmetic', \
     file using 2:(1000 * column('fp32_tflops') / column('memory_gbs')) \
         with points lt 4 pt 6 ps 1.2 title 'float32 arithmetic'
