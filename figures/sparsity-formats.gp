# Time of y = A x on six kinds of matrix by format, and the time of CSR's bytes at a copy's rate.
file = 'figures/data/spmv.csv'
kinds = 'band.33 blocks.32 random.32 power.32 arrow.16 pruned.90'
rows = '1048576 1048576 1048576 1048576 1048576 4096'
# the fastest of the given versions; nothing if none was timed
best(kind, versions) = sprintf("< awk -F, -v k='spmv.%s.' -v of='%s' 'BEGIN { n = split(of, v, \" \") } index($1, k) == 1 { t[substr($1, length(k) + 1)] = $2 } END { for (i = 1; i <= n; i++) if (v[i] in t && (m == \"\" || t[v[i]] + 0 < m)) m = t[v[i]] + 0; if (m == \"\") m = \"NaN\"; print m }' %s", kind, versions, file)
# 8 bytes a nonzero, 12 a row, at h200.bw.hbm.memcpy
least(kind, r) = sprintf("< awk -F, '$1 == \"spmv.%s.nonzeros\" { n = $2 } $1 == \"h200.bw.hbm.memcpy\" { b = $2 } END { print (8 * n + 12 * %s) / b / 1e6 }' %s figures/data/hierarchy.csv", kind, r, file)
set logscale y
set yrange [2:6000]
set ytics (3, 10, 30, 100, 300, 1000, 3000)
set ylabel 'µs'
set xrange [0.5:6.5]
set xtics scale 0
set xtics ('band' 1, 'blocks' 2, 'random' 3, 'power' 4, 'arrow' 5, "pruned,\n90 %%" 6)
set grid ytics lc rgb '#888888' lw 0.3
set key tmargin center horizontal maxrows 2 samplen 1.5 width -4
set bmargin 3.5
plot for [i=1:6] best(word(kinds, i), 'scalar lanes4 lanes8 vector') \
        using (i - 0.26):1 with points lt 1 pt 7 ps 1.1 title (i == 1 ? 'CSR, by rows' : ''), \
    for [i=1:6] best(word(kinds, i), 'shares') \
        using (i - 0.13):1 with points lt 3 pt 5 ps 1.0 title (i == 1 ? 'CSR, equal shares' : ''), \
    for [i=1:6] best(word(kinds, i), 'coo') \
        using (i + 0.0):1 with points lt 4 pt 9 ps 1.2 title (i == 1 ? 'COO' : ''), \
    for [i=1:6] best(word(kinds, i), 'ell') \
        using (i + 0.13):1 with points lt 2 pt 13 ps 1.3 title (i == 1 ? 'ELL' : ''), \
    for [i=1:6] best(word(kinds, i), 'hybrid') \
        using (i + 0.26):1 with points lc rgb '#010203' pt 6 ps 1.1 lw 1.6 title (i == 1 ? 'hybrid' : ''), \
    for [i=1:6] least(word(kinds, i), word(rows, i)) \
        using (i):1:(0.34) with xerrorbars pt -1 lw 2 lc rgb '#010203' title (i == 1 ? "CSR's bytes" : '')
