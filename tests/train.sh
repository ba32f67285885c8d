#!/bin/bash
# The program `train`: that it learns, what it prints, what it writes.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }

column() { awk -F, -v c="$1" 'NR > 1 { print $c }' "$2"; }

train_small --val "$dir/val.bin" --val-every 20 --steps 60 --save-every 20 \
    --keep 2 --sample-every 30 --out "$dir/a" --log "$dir/a.csv" \
    > "$dir/a.txt" 2> "$dir/a.err"
status=$?
if [ $status -eq 0 ]
then ok "a run of 60 steps"
else not_ok "a run of 60 steps" "status $status: $(cat "$dir/a.err")"
fi

check "the first loss is ln V" awk -F, 'NR == 2 {
    d = $2 - log(320); if (d < -0.15 || d > 0.15) { print $2; exit 1 } }' \
    "$dir/a.csv"
check "sixty steps lower the loss by 0.8, in the mean of the last ten" \
    awk -F, 'NR == 2 { first = $2 } NR > 51 { sum += $2 / 10 }
    END { if (!(sum < first - 0.8)) { print first, sum; exit 1 } }' "$dir/a.csv"
check "validation follows" awk -F, '$3 != "" && NR > 1 { v[++k] = $3 }
    END { if (k != 3 || !(v[3] < v[1])) { print k, v[1], v[3]; exit 1 } }' \
    "$dir/a.csv"
check "a row of the log for each step" test \
    "$(column 1 "$dir/a.csv" | tr '\n' ' ')" = "$(seq 60 | tr '\n' ' ')"
check "two checkpoints are kept" test \
    "$(cd "$dir/a" && echo step-*)" = "step-000040 step-000060"
check "a sample is written" grep -q -- '--- sample after step 60:' "$dir/a.txt"
check "in a file: no carriage returns, at most 30 lines of progress" \
    awk '/\r/ { print; exit 1 } /tok\/s/ { k++ } END { exit k > 30 }' \
    "$dir/a.txt"

# Two runs of the same seed, and one on another number of threads.
same() { cmp "$1/model.safetensors" "$2/model.safetensors"; }
train_small --steps 12 --out "$dir/b" > /dev/null
train_small --steps 12 --out "$dir/c" > /dev/null
OMP_NUM_THREADS=1 train_small --steps 12 --out "$dir/d" > /dev/null
OMP_NUM_THREADS=5 train_small --steps 12 --out "$dir/e" > /dev/null
s=step-000012
check "same seed, same bits" same "$dir/b/$s" "$dir/c/$s"
check "one thread, same bits" same "$dir/b/$s" "$dir/d/$s"
check "five threads, same bits" same "$dir/b/$s" "$dir/e/$s"
train_small --steps 12 --seed 2 --out "$dir/f" > /dev/null
if same "$dir/b/$s" "$dir/f/$s" > /dev/null 2>&1; then
    not_ok "another seed, other bits" "the same model"
else
    ok "another seed, other bits"
fi

# K batches of B are one of K B: loss and norm of the first step agree.
train_small --batch 8 --accumulate 1 --steps 1 --log "$dir/k1.csv" > /dev/null
train_small --batch 2 --accumulate 4 --steps 1 --log "$dir/k4.csv" > /dev/null
check "four batches of 2 make the step of one of 8" \
    awk -F, 'FNR == 2 { loss[++k] = $2; norm[k] = $4 } END {
        d = loss[1] - loss[2]; r = norm[1] / norm[2] - 1
        if (!(d*d <= 1e-10 && r*r <= 1e-8)) { print d, r; exit 1 } }' \
    "$dir/k1.csv" "$dir/k4.csv"

# Start from weights on disk: the loss goes on where the run had ended.
"$BIN/train" --init "$dir/a/step-000060/model.safetensors" --batch 4 \
    --seq 32 --data "$dir/train.bin" --vocab "$dir/vocab" --steps 1 \
    --log "$dir/i.csv" > /dev/null 2> "$dir/stderr"
check "--init starts from trained weights" awk -F, 'NR == 2 {
    if (!($2 < log(320) - 0.7)) { print $2; exit 1 } }' "$dir/i.csv"

# A run that diverges is stopped, and nothing is lost.
train_small --steps 40 --lr 1e9 --clip 0 --save-every 1 --out "$dir/nan" \
    --log "$dir/nan.csv" > /dev/null 2> "$dir/stderr"
status=$?
if [ $status -eq 1 ] &&
    grep -Eq 'loss is .*--lr.*the last checkpoint is .*step-' "$dir/stderr"
then ok "a run that diverges says so and names its last checkpoint"
else not_ok "a run that diverges says so and names its last checkpoint" \
    "status $status: $(cat "$dir/stderr")"
fi
check "and wrote no NaN into its log" awk -F, '/nan|inf/ { exit 1 }' \
    "$dir/nan.csv"

# On a terminal one line is rewritten, and never wraps.
if command -v script > /dev/null &&
    script -qec true /dev/null < /dev/null > /dev/null 2>&1; then
    # shellcheck disable=SC2086
    TERM=xterm script -qec "stty cols 52; $BIN/train $small \
        --data $dir/train.bin --vocab $dir/vocab --steps 30" /dev/null \
        < /dev/null > "$dir/tty.txt" 2>&1
    check "on a terminal the line is rewritten within its width" awk '
        { k = split($0, part, "\r")
          for (i = 2; i <= k; i++) {
              sub(/\033\[K.*/, "", part[i])
              if (part[i] ~ /^[0-9]+\/30/) { lines++
                  if (length(part[i]) > 51) { print part[i]; bad = 1 } } } }
        END { if (bad || lines < 1) { print lines, "lines"; exit 1 } }' \
        "$dir/tty.txt"
else
    skip "on a terminal the line is rewritten within its width" \
        "no terminal can be opened here"
fi
finish
