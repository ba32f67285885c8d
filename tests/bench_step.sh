#!/bin/bash
# bench-step: a whole step and its parts, and no time for a model that is
# wrong.
. tests/lib/run.sh
run() { "$BIN/bench-step" --model d2 --batch 1 --seq 32 --steps 3 "$@"; }
check "a step of d2" run --parts 1 --out "$dir/step.csv"
check "rows of it, each a positive number" awk -F, '
    $1 ~ /^step[.]d2[.]b1[.]t32[.]fp32[.](time|low|high|rate|flop|mfu)$/ {
        if (!($2 > 0)) exit 1
        n++ }
    END { exit n != 6 }' "$dir/step.csv"
check "and of its parts" grep -q '^step.d2.b1.t32.fp32.part.adamw,' "$dir/step.csv"
check "and of the giving" grep -q '^step.d2.b1.t32.fp32.given,[0-9.]*,ms,' \
    "$dir/step.csv"
check "but not of their sum" test -z "$(grep 'part.sum' "$dir/step.csv")"
for row in compile.fp32.rate,10 compile.fp32.round1.rate,11 \
    compile.rate,12 compile.tf32.rate,13 compile.t64.fp32.rate,14; do
    echo "torch.d2.b1.$row,tok/s,a machine,a command,0,today"
done > "$dir/peer.csv"
beside=$(run --parts 0 --peer "$dir/peer.csv" | grep '^torch')
check "the peer's rate beside it" grep -q \
    'torch.d2.b1.compile.fp32.rate .* 10 tok/s' <(echo "$beside")
check "but not that of one round, of another precision, another length" \
    test "$(echo "$beside" | wc -l)" = 1

# Several ranks: the longest of their times, and the exchange by itself.
for v in "" "--zero 1" "--sum-order fixed" --apart; do
    # shellcheck disable=SC2086
    check "two ranks, ${v:-all-reduce}" run --gpus 2 --parts 0 $v \
        --out "$dir/ranks.csv"
done
for v in "" .zero .fixed; do
    check "rows of two ranks, ${v:-all-reduce}: times, exchange, bytes" \
        test "$(grep -cE "^step.d2.b1.t32.fp32.n2$v.(time|low|high|rate|flop|mfu|exchange|sent)," \
            "$dir/ranks.csv")" -eq 8
done
check "rows of ranks apart: times, no exchange" \
    test "$(grep -c '^step.d2.b1.t32.fp32.n2.apart.' "$dir/ranks.csv")" -eq 6
# Of two ranks each sends its array once.  d2 has 6,960,768 parameters.
check "what a rank of two sends: the gradients once" grep -q \
    '^step.d2.b1.t32.fp32.n2.sent,27.84,MB,' "$dir/ranks.csv"

# One weight is another: a loss that is off by little.  And one is no number.
for bytes in '\101\101\101\101' '\377\377\377\377'; do
    cp -r tests/data/gpt2-tiny "$dir/fixture"
    f=$dir/fixture/model.safetensors
    # shellcheck disable=SC2059
    printf "$bytes" | dd of="$f" bs=1 seek=200000 conv=notrunc status=none
    refuses "a wrong model is not timed" 1 'nothing is timed' \
        run --fixture "$dir/fixture"
    check "and no time is printed" test -z "$(grep tok/s "$dir/stdout")"
    rm -r "$dir/fixture"
done
refuses "a fixture that is not there" 1 'batches.safetensors' \
    run --fixture "$dir/nothing"
refuses "a precision that is none" 2 'fp32' run --precision fp23
refuses "a model that is none" 2 'gpt2' run --model gpt3
finish
