# One warp, 32 lanes, lane l with exponent l: an instruction is a column, and a
# bar the instructions in which a lane is active.  Orange is the basic block that
# multiplies the result, grey what stands before and after the loop.
file = 'figures/data/warps-trace-32.txt'
bars = sprintf("< awk 'function bar(l) { if (was[l]) print from[l] + 0.1 \",\" step - 0.1 \",\" l - 0.42 \",\" l + 0.42 \",\" was[l]; was[l] = 0 } NR > 1 && $1 + 0 && $2 != \"powers,\" { if ($1 != line + 1 || last == \"bra\") { before = first; first = $2 } line = $1; last = $2; colour = first ~ /^ld/ ? 5 : first ~ /^mul/ && before == \"and.b32\" ? 2 : 1; for (l = 0; l < 32; l++) { now = substr($3, l + 1, 1) == \".\" ? 0 : colour; if (now != was[l]) { bar(l); was[l] = now; from[l] = step } } step++ } END { for (l = 0; l < 32; l++) bar(l) }' %s", file)
set xrange [0:70]
set yrange [31.8:-0.8]
set xlabel 'warp instructions'
set ylabel 'lane'
set ytics ('0' 0, '8' 8, '16' 16, '24' 24, '31' 31)
set style fill solid 0.8 noborder
plot bars using 1:3:1:2:3:4:5 with boxxyerror lc variable
