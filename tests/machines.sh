#!/bin/bash
# One model on several machines: twenty steps on $MACHINE (cuda or simt) must
# give the losses of the CPU, as near to those in double as the CPU is.
. tests/lib/run.sh
B=${B:-build} MACHINE=${MACHINE:-simt}
text=tests/data/machines.txt
if [ ! -x "$B/tests-$MACHINE/losses" ]; then
    skip "twenty steps on $MACHINE" "$B/tests-$MACHINE/losses is not built"
    finish
fi
losses() { "$B/tests-$1/losses" $text "$dir/$1.bin" 20; }

# The sanitizer doubles the time of the software GPU: of the twenty steps,
# which launch the same kernels, it sees four, below.
export SIMT_CHECK=off
for m in f64 opt "$MACHINE"; do
    losses "$m" > "$dir/$m" 2> "$dir/err" ||
        not_ok "twenty steps: $m" "$(cat "$dir/err")"
done

# Column by column: the largest error, and the root of the mean square.
near() {            # column
    paste -d' ' "$dir/f64" "$dir/opt" "$dir/$MACHINE" | awk -v c="$1" '
        function abs(x) { return x < 0 ? -x : x }
        {   e = abs($(4 + c) - $c); f = abs($(2 + c) - $c)
            if (!(e <= worst)) worst = e
            if (f > off) off = f
            half = $c * 2^-24 > half ? $c * 2^-24 : half
            n++ }
        END {
            allowed = 2 * (off > half ? off : half)
            printf "error %.3g, the CPU'"'"'s %.3g\n", worst, off
            exit !(n == 20 && worst <= allowed) }'
}
check "twenty losses on $MACHINE are those of the CPU" near 1
check "twenty norms on $MACHINE are those of the CPU" near 2
check "the loss falls by 1" awk 'NR == 1 { first = $1 }
    END { if (!($1 < first - 1)) { print first, $1; exit 1 } }' \
    "$dir/$MACHINE"
SIMT_CHECK=on "$B/tests-$MACHINE/losses" $text "$dir/again.bin" 4 \
    > "$dir/again" 2>&1
check "four steps again, watched by the sanitizer, bit for bit" cmp <(head -4 "$dir/$MACHINE") \
    "$dir/again"
check "loss and norm of every step are those of an H200, bit for bit" \
    diff <(grep -v '^#' figures/data/gpu-losses-h200.txt) "$dir/$MACHINE"

# The numbers that chapters 3 and 15b print.
if [ "$MACHINE" = simt ]; then
    for step in 1 2 5 20; do
        sed -n "${step}p" "$dir/opt" | sed "s/^/simt.cpu.$step /"
        sed -n "${step}p" "$dir/simt" | sed "s/^/simt.good.$step /"
    done > "$dir/printed"
    check "the losses in chapter 3 are not stale" awk '
        NR == FNR { split($0, f, ","); row[f[1]] = f[2]; next }
        {   d = row[$1] - $2
            if (!(d < 2e-6 && d > -2e-6)) { print $1, $2; bad = 1 } }
        END { exit bad }' figures/data/simt-core.csv "$dir/printed"
fi
row() { awk -F, -v name="gpu.$1" '$1 == name { print $2 }' \
    figures/data/gpu-losses.csv; }
check "the first loss in the chapter is not stale" test \
    "$(row first-loss.simt)" = "$(head -1 "$dir/$MACHINE" | cut -d' ' -f1)"
error=$(paste -d' ' "$dir/f64" "$dir/$MACHINE" | awk '
    {   e = $3 - $1; e = e < 0 ? -e : e; if (e > worst) worst = e }
    END { printf "%.2g", worst }')
check "the largest error in the chapter is not stale" test \
    "$(row losses.simt-error)" = "$error"
finish
