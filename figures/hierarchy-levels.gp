# The levels of an H200: sizes, latencies and bandwidths as measured.
file = 'figures/data/hierarchy.csv'
device = 'figures/data/throughput.csv'
of(name, from) = real(system("awk -F, '$1 == \"".name."\" { print $2 }' ".from))
of1(name) = of(name, file)
query(name) = of('query.'.name, device)
set xrange [0:100]
set yrange [0:62]
unset border
unset xtics
unset ytics
set lmargin 1
set rmargin 1
set tmargin 0.5
set bmargin 0.5
array Name[5] = ['registers', 'shared memory, L1', 'L2', 'HBM', 'host memory, over PCIe']
array Half[5] = [8, 13, 15.5, 18, 20]
array Size[5]
array Late[5]
array Band[5]
Size[1] = sprintf("%.0f KiB in an SM,\n%.0f MiB in all", query('registers') * 1024 / query('sms'), query('registers'))
Size[2] = sprintf("256 KiB in an SM,\n%.0f MiB in all", 256 * query('sms') / 1024)
Size[3] = sprintf('%.0f MiB', query('l2'))
Size[4] = sprintf('%.0f GiB', query('memory'))
Size[5] = 'what the host has'
half_up(x) = sprintf('%d', int(x + 0.5))
late(level) = half_up(of1('h200.'.level.'.cycles'))." cycles,\n".half_up(of1('h200.'.level.'.ns'))." ns"
Late[1] = half_up(of1('h200.fma.cycles'))." cycles,\n".half_up(of1('h200.fma.cycles') / of1('h200.bw.clock'))." ns"
Late[2] = sprintf("%.0f, %.0f cycles,\n%.0f, %.0f ns", of1('h200.shared.cycles'), of1('h200.chase.64.cycles'), of1('h200.shared.ns'), of1('h200.chase.64.ns'))
Late[3] = late('chase.8192')
Late[4] = late('chase.2097152')
Late[5] = late('host.65536')
Band[1] = sprintf('%.0f TB/s', of1('h200.bw.registers'))
Band[2] = sprintf('%.0f TB/s', of1('h200.bw.shared'))
Band[3] = sprintf('%.1f TB/s', of1('h200.bw.read.24'))
Band[4] = sprintf('%.1f TB/s', of1('h200.bw.hbm.read'))
Band[5] = sprintf('%.0f GB/s', of1('h200.in.pinned.262144'))
middle = 25
top(i) = 56 - (i - 1) * 11.5
set label 1 'size' at 50, 60 left textcolor rgb '#010203'
set label 2 'latency' at 72, 60 left textcolor rgb '#010203'
set label 3 'bandwidth' at 100, 60 right textcolor rgb '#010203'
do for [i=1:5] {
    set object i rect from middle - Half[i], top(i) - 8 to middle + Half[i], top(i) fillcolor rgb '#4878a8' fillstyle transparent solid 0.42 - 0.07 * i border rgb '#888888'
    set label 10 + i Name[i] at middle, top(i) - 4 center font ',13' textcolor rgb '#010203'
    set label 20 + i Size[i] at 50, top(i) - 2.8 left font ',12' textcolor rgb '#010203'
    set label 30 + i Late[i] at 72, top(i) - 2.8 left font ',12' textcolor rgb '#010203'
    set label 40 + i Band[i] at 100, top(i) - 2.8 right font ',12' textcolor rgb '#010203'
}
do for [i=1:4] {
    set arrow i from middle, top(i) - 8 to middle, top(i + 1) heads size 1,25 lc rgb '#888888'
}
# where an SM ends, and the card
do for [i in '2 4'] {
    set arrow 10 + i from 0, top(i) - 9.75 to 100, top(i) - 9.75 nohead dashtype 2 lc rgb '#888888'
}
set label 4 'in each SM' at 0, top(1) - 1.5 left font ',11' textcolor rgb '#010203'
set label 5 'one for all' at 0, top(3) - 1.5 left font ',11' textcolor rgb '#010203'
set label 6 'host' at 0, top(5) - 1.5 left font ',11' textcolor rgb '#010203'
plot -1 notitle
