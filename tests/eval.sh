#!/bin/sh
# The program eval: its number on a known model, and its refusals.
eval=${EVAL:-build/bin/eval}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
result() {              # ok or not ok, what
    n=$((n + 1))
    echo "$1 $n - $2"
}
refused() {             # what, status, words of the message, options...
    what=$1 want=$2 words=$3
    shift 3
    "$eval" "$@" > "$dir/out" 2> "$dir/err"
    status=$?
    if [ "$status" = "$want" ] && grep -q -e "$words" "$dir/err" &&
            ! [ -s "$dir/out" ]; then
        result ok "eval refuses $what"
    else
        result "not ok" "eval refuses $what (status $status)"
        cat "$dir/err"
    fi
}
. tests/lib/shard.sh
model=tests/data/gpt2-tiny/model.safetensors
tokens=$(awk 'BEGIN { for (i = 0; i < 200; i++) print i * i % 131 }')
# shellcheck disable=SC2086
shard 200 $tokens > "$dir/good.bin"
# shellcheck disable=SC2086
shard 201 $tokens 131 > "$dir/token.bin"
shard 12 1 2 3 4 5 6 7 8 9 10 11 12 > "$dir/short.bin"

if [ ! -f "$model" ]; then
    echo "ok 1 - eval # SKIP no $model"
    echo "1..1"
    exit 0
fi
"$eval" --init "$model" --data "$dir/good.bin" --batch 3 --seq 19 \
    > "$dir/a" 2> "$dir/err"
if grep -qx 'loss [0-9.]* tokens 190' "$dir/a"; then
    result ok "eval prints loss and tokens: $(cat "$dir/a")"
else
    result "not ok" "eval prints loss and tokens"
    cat "$dir/a" "$dir/err"
fi
"$eval" --init "${model%/*}" --data "$dir/good.bin" --batch 10 --seq 19 \
    > "$dir/b" 2> "$dir/err"
check() {               # exit status, what
    if [ "$1" = 0 ]; then result ok "$2"; else result "not ok" "$2"; fi
}
awk '{ loss[NR] = $2; tokens[NR] = $4 }
     END { d = loss[1] - loss[2]
           exit !(tokens[2] == 190 && d * d < 1e-10) }' \
    "$dir/a" "$dir/b"
check $? "batches of 3 and of 10 rows give the same loss"
"$eval" --init "$model" --data "$dir/good.bin" --batch 2 --seq 19 \
    --batches 3 | grep -q 'tokens 114'
check $? "--batches 3 stops after 3 batches"

"$eval" --init "$model" --data "$dir/good.bin" --batch 3 --seq 19 \
    --stride 19 --against "$model" > "$dir/c" 2> "$dir/err"
awk 'NR == FNR { loss = $2; next }
     { d = loss - $2
       exit !($4 == 190 && $6 == 19 && d * d < 1e-10 &&
              ($8 / exp(loss) - 1) ^ 2 < 1e-8 && $10 == "100.00") }' \
    "$dir/a" "$dir/c"
check $? "a stride of a row gives the same loss, its perplexity, and agrees with itself"
"$eval" --init "$model" --data "$dir/good.bin" --batch 4 --seq 19 \
    --stride 5 > "$dir/c" 2> "$dir/err"
awk '{ exit !($4 == 185 && $8 > 1 && NF == 8) }' "$dir/c"
check $? "windows that overlap score each token once"

mkdir "$dir/two"
cp "$dir/good.bin" "$dir/two/a.bin"
cp "$dir/good.bin" "$dir/two/b.bin"
"$eval" --init "$model" --data "$dir/two/*.bin" --batch 2 --seq 19 \
    --stride 19 --batches 3 | grep -q 'tokens 114 '
check $? "--batches counts through all shards, with a stride too"

refused "a stride longer than a row" 2 "stride 20 is more" \
    --init "$model" --data "$dir/good.bin" --seq 19 --stride 20
refused "--against without --stride" 2 "needs --stride" \
    --init "$model" --data "$dir/good.bin" --against "$model"
refused "no --init" 2 "needs --init" --data "$dir/good.bin"
refused "an unknown option" 2 "batch" --bacth 3
refused "--batch 0" 2 "batch" --init "$model" --data "$dir/good.bin" \
    --batch 0
refused "rows longer than the context" 1 "at most 21" \
    --init "$model" --data "$dir/good.bin" --seq 22
refused "a token >= V" 1 "131" --init "$model" --data "$dir/token.bin"
refused "a shard shorter than a row" 1 "short.bin" \
    --init "$model" --data "$dir/short.bin" --seq 19
refused "a file that is not there" 1 "none.safetensors" \
    --init "$dir/none.safetensors" --data "$dir/good.bin"
refused "heads against config.json" 1 "says 3 heads" \
    --init "$model" --data "$dir/good.bin" --heads 6
head -c 100000 "$model" > "$dir/cut.safetensors"
refused "weights that are cut off" 1 "cut.safetensors" \
    --init "$dir/cut.safetensors" --data "$dir/good.bin" --heads 3
echo "1..$n"
