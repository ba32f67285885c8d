#!/bin/bash
# The script behind `make train`: a first call, a second, a changed text.
. tests/lib/run.sh
head -c 60000 chapters/workshop/ground-floor.nw > "$dir/text.txt"
export TEXT="$dir/text.txt"
export SIZE="--layers 1 --heads 2 --channels 32 --batch 4 --seq 32 --steps 30"
go() { sh code/programs/train_text.sh "$BIN" "$dir/out" > "$dir/said" 2>&1; }

check "a text becomes a model" go
check "which writes a paragraph" grep -q 'what it writes after' "$dir/said"
check "and the log has every step" test "$(wc -l < "$dir/out/loss.csv")" = 31
sed -n '/another paragraph/,/a longer run/p' "$dir/said" | sed '1d;$d' \
    > "$dir/try.sh"
check "the command it suggests works" sh "$dir/try.sh"
check "a second call" go
check "has nothing to train" grep -q 'the run is complete: 30 of 30' \
    "$dir/said"
rm -r "$dir/out/run" "$dir/out/loss.csv"
setsid sh code/programs/train_text.sh "$BIN" "$dir/out" > "$dir/first" 2>&1 &
pid=$!
for _ in $(seq 300); do
    [ -s "$dir/out/loss.csv" ] && break
    sleep 0.01
done
kill -9 -- -$pid
wait $pid 2> /dev/null
check "a call after a kill" go
check "ends at the same step" test -d "$dir/out/run/step-000030"
echo "one more line" >> "$TEXT"
check "a call with another text" go
check "says that the old run is put aside" grep -q 'run.old, and a new one' \
    "$dir/said"
check "and keeps it" test -d "$dir/out/run.old/step-000030"
if [ -x "$BIN/train-simt" ] && [ -x "$BIN/generate-simt" ]; then
    SIZE="--layers 1 --heads 1 --channels 32 --batch 2 --seq 16 --steps 2"
    ON=simt check "a call on another machine" go
    check "says that the old run is put aside, too" \
        grep -q 'run.old, and a new one' "$dir/said"
    check "it runs there" grep -q '^simt: ' "$dir/said"
    check "and what it suggests names it" grep -q 'generate-simt' "$dir/said"
else
    skip "a call on another machine" "$BIN/train-simt is not built"
fi
export TEXT="$dir/missing.txt"
refuses "a text that is not there" 1 'missing.txt' \
    sh code/programs/train_text.sh "$BIN" "$dir/out2"
finish
