plot "figures/data/curve.csv" using 1:2
