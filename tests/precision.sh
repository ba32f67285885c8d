#!/bin/bash
# --precision, --recompute and --master-weights: what the CPU refuses, what
# the software GPU does with them, and checkpoints that go from one to the
# other.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }

small=(--data "$dir/train.bin" --vocab "$dir/vocab" --layers 2 --heads 2
    --channels 64 --batch 2 --seq 16 --lr 3e-3)
train() { "$BIN/train" "${small[@]}" "$@"; }
refuses "bf16 on the CPU" 1 'name ends in -cuda' \
    train --precision bf16 --steps 1
refuses "tf32 on the CPU" 2 'tensor cores' train --precision tf32 --steps 1
refuses "a precision that does not exist" 2 'fp32\|tf32\|bf16' \
    train --precision fp16 --steps 1
refuses "recomputation in fp32" 2 'recompute needs --precision bf16' \
    train --recompute block --steps 1
refuses "fp32 without weights in fp32" 2 'needs --precision bf16' \
    train --master-weights off --steps 1
plan() { train --precision bf16 --plan "$@" | awk '/^total/ { print $2 }'; }
check "the CPU prints the GPU's plan" test -n "$(plan)"
check "a block made again needs less" awk -v a="$(plan)" \
    -v b="$(plan --recompute block)" 'BEGIN { exit !(b < a) }'

gpu=${BIN}/train-simt
if [ ! -x "$gpu" ]; then
    skip "training in bf16" "$gpu is not built"
    finish
fi
simt() { "$gpu" "${small[@]}" --precision bf16 "$@"; }
run() { simt --steps 4 "$@" > "$dir/stdout" 2>&1 || cat "$dir/stdout"; }
same() { cmp "$dir/$1/step-000004/$3" "$dir/$2/step-000004/$3"; }
both() { same "$@" model.safetensors && same "$@" optimizer.safetensors; }
for master in on off; do
    run --master-weights $master --out "$dir/a$master"
    run --master-weights $master --out "$dir/b$master" --recompute block \
        --save-every 2 --keep 0
    check "the same in one go and with blocks made again, master $master" \
        both "a$master" "b$master"
    rm -r "$dir/b$master/step-000004"
    "$gpu" --resume --out "$dir/b$master" > "$dir/stdout" 2>&1
    check "resumed after step 2, bit for bit, master $master" \
        both "a$master" "b$master"
done
simt --steps 12 --log "$dir/log" > "$dir/stdout" 2>&1
check "the loss falls" awk -F, 'NR == 2 { first = $2 }
    END { exit !($2 < first - 0.1) }' "$dir/log"

# Across machines and precisions.
refuses "a bf16 run resumed on the CPU as it is" 1 'precision fp32' \
    "$BIN/train" --resume --out "$dir/aon" --steps 5
"$BIN/train" --resume --out "$dir/aon" --steps 5 --precision fp32 \
    > "$dir/stdout" 2>&1
check "and in fp32" grep -q 'now fp32, was bf16' "$dir/stdout"
check "a fifth step was made" test -d "$dir/aon/step-000005"
loss() { "$@" --init "$dir/aoff/step-000004" --data "$dir/val.bin" --seq 16 \
    --batches 20 | cut -d' ' -f2; }
check "eval: bf16 and fp32 agree to 0.01" awk \
    -v a="$(loss "$BIN/eval")" \
    -v b="$(loss "$BIN/eval-simt" --precision bf16)" \
    'BEGIN { d = a - b; exit !(a > 0 && d < 0.01 && d > -0.01) }'
check "generate in bf16" "$BIN/generate-simt" --precision bf16 --tokens 3 \
    --init "$dir/aoff/step-000004/model.safetensors" --vocab "$dir/vocab"

# A run from before there were such options was one in fp32.
train --steps 2 --out "$dir/old" > /dev/null 2>&1
sed -i -e '/"precision"/d' -e '/"recompute"/d' -e '/"master-weights"/d' \
    -e '/"logit-rows"/d' -e '/"sum-order"/d' -e '/"prompt"/s/,$//' \
    "$dir/old/step-000002/train.json"
"$BIN/train" --resume --out "$dir/old" --steps 3 > "$dir/stdout" 2>&1
check "an older run goes on" test -d "$dir/old/step-000003"

simt --steps 6 --profile > "$dir/stdout" 2> "$dir/err"
check "--profile names the parts of three steps" \
    grep -Eq '^attention bwd +6 ' "$dir/stdout"
finish
