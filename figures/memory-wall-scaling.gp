# Validation loss against training compute: the two published power laws.
set logscale x
set format x '10^{%T}'
set xlabel 'training compute, PF-days'
set ylabel 'loss, nats per token'
set xrange [1e-6:1e5]
set yrange [1:6]
set key top right
set samples 200
gpt3(x) = 2.57 * x**-0.048
kaplan(x) = (3.1e8 / x)**0.050
# GPT-3 small and GPT-3: 6 FLOP per parameter and token, 300 billion tokens
pf(n) = 6 * n * 300e9 / 8.64e19
set label 1 'GPT-3 125M' at pf(125e6), gpt3(pf(125e6)) point pt 7 ps 0.7 lc rgb '#c0562f' \
    offset 0.8, 0.9 textcolor rgb '#010203'
set label 2 'GPT-3 175B' at pf(174.6e9), gpt3(pf(174.6e9)) point pt 7 ps 0.7 lc rgb '#c0562f' \
    offset -3, 1.1 textcolor rgb '#010203'
plot kaplan(x) with lines lt 5 dashtype 2 title 'Kaplan et al. 2020: (3.1×10^8 / C)^{0.050}', \
     gpt3(x) with lines lt 1 title 'Brown et al. 2020: 2.57 C^{-0.048}'
