# Picojoules per operation and per 8 bytes, one bar each.
file = 'figures/data/energy.csv'
set logscale x
set xrange [0.05:10000]
set yrange [-0.7:9.7]
set format x '10^{%T}'
set xlabel 'picojoules'
set lmargin 26
set style fill solid 0.85 noborder
set ytics scale 0
unset border
set border 1 lc rgb '#010203'
plot file using (sqrt(0.05 * column('picojoule'))):0:(0.05):(column('picojoule')):($0 - 0.33):($0 + 0.33):(column('bytes') > 0 ? 2 : 1):ytic(1) \
         with boxxyerror lc variable, \
     file using (column('picojoule') * 1.25):0:(sprintf('%g', column('picojoule'))) \
         with labels left textcolor rgb '#010203'
