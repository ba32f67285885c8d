# Transistors, clock and power of microprocessors, highest of each year.
file = 'figures/data/microprocessors.csv'
set logscale y
set format y '10^{%T}'
set xrange [1970:2030]
set yrange [0.1:3e8]
set xtics 10
set arrow 1 from 2004.8, 0.1 to 2004.8, 3e8 nohead lt 5 dashtype 3
set label 1 '2004' at 2005.4, 0.3 textcolor rgb '#010203'
set label 2 'thousands of transistors' at 1987, 3e6 textcolor rgb '#4878a8'
set label 3 'clock, MHz' at 2014, 1.2e4 textcolor rgb '#c0562f'
set label 4 'power, W' at 2014, 60 textcolor rgb '#4f8f4f'
plot file using 1:2 with points lt 1, \
     file using 1:3 with points lt 2, \
     file using 1:4 with points lt 3
