#!/bin/bash
# The program `generate`.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }
train_small --steps 40 --out "$dir/run" > /dev/null 2> "$dir/stderr" || {
    not_ok "a model to write with" "$(cat "$dir/stderr")"; finish; }
init=$dir/run/step-000040/model.safetensors
gen() { "$BIN/generate" --init "$init" --vocab "$dir/vocab" "$@"; }

gen --prompt "The model" --tokens 30 > "$dir/a" &&
    gen --prompt "The model" --tokens 30 > "$dir/b"
check "the same seed writes the same text" cmp "$dir/a" "$dir/b"
gen --init "$dir/run/step-000040" --prompt "The model" --tokens 30 \
    > "$dir/c"
check "a checkpoint's directory stands for its weights" \
    cmp "$dir/b" "$dir/c"
gen --prompt "The model" --tokens 30 --seed 2 > "$dir/c"
if cmp -s "$dir/a" "$dir/c"
then not_ok "another seed writes another" "$(cat "$dir/a")"
else ok "another seed writes another"; fi
check "the text begins with its prompt" grep -q '^The model' "$dir/a"
gen --prompt "x" --tokens 30 --temperature 0 > "$dir/a"
gen --prompt "x" --tokens 30 --top-k 1 --seed 9 > "$dir/b"
gen --prompt "x" --tokens 30 --top-p 0 --seed 7 > "$dir/c"
check "temperature 0 is top-k 1" cmp "$dir/a" "$dir/b"
check "and top-p 0" cmp "$dir/a" "$dir/c"
OMP_NUM_THREADS=1 gen --prompt "x" --tokens 30 --temperature 0 > "$dir/b"
check "on one thread too" cmp "$dir/a" "$dir/b"

# Several texts: each says what it says alone, with a seed of its own.
printf 'The model\nx\nA longer prompt than the others\n' > "$dir/prompts"
gen --prompts "$dir/prompts" --samples 2 --batch 4 --tokens 40 --seed 5 \
    > "$dir/a"
seed=5
while IFS= read -r prompt; do
    for _ in 1 2; do
        [ $seed -eq 5 ] || echo ---
        gen --prompt "$prompt" --tokens 40 --seed $seed
        seed=$((seed + 1))
    done
done < "$dir/prompts" > "$dir/b"
check "texts of a batch are what they are alone" cmp "$dir/a" "$dir/b"
"$BIN/quantize" --init "$init" --type int4 --group 32 --out "$dir/int4" \
    > /dev/null 2> "$dir/stderr"
few() { "$BIN/generate" --init "$dir/int4" --heads 3 --vocab "$dir/vocab" "$@"; }
few --prompt x --samples 3 --batch 3 --tokens 30 --seed 5 > "$dir/a" \
    2>> "$dir/stderr"
for seed in 5 6 7; do
    [ $seed -eq 5 ] || echo ---
    few --prompt x --tokens 30 --seed $seed
done > "$dir/b" 2>> "$dir/stderr"
if [ "$(wc -c < "$dir/a")" -gt 60 ] && cmp -s "$dir/a" "$dir/b"
then ok "a model in int4 writes the same alone and in a batch"
else not_ok "a model in int4 writes the same alone and in a batch" "$(cat "$dir/stderr")"; fi
gen --prompt "x" --tokens 60 > "$dir/a"
gen --prompt "x" --tokens 60 --stop "e" > "$dir/b"
if [ "$(wc -c < "$dir/b")" -lt "$(wc -c < "$dir/a")" ] &&
    head -c $(($(wc -c < "$dir/b") - 1)) "$dir/b" |
    cmp - <(head -c $(($(wc -c < "$dir/b") - 1)) "$dir/a")
then ok "a text ends before its stop"
else not_ok "a text ends before its stop" "$(cat "$dir/b")"; fi
refuses() {         # text, words of the message, options...
    local text=$1 words=$2
    shift 2
    if gen "$@" > /dev/null 2> "$dir/stderr"
    then not_ok "$text" "it succeeds"
    elif grep -q -- "$words" "$dir/stderr"; then ok "$text"
    else not_ok "$text" "$(cat "$dir/stderr")"; fi
}
: > "$dir/empty"
printf 'a\n\nb\n' > "$dir/gap"
refuses "a stop of several tokens" "has to be one" --stop "zqzq zqzq"
refuses "a file without prompts" "is empty; write" --prompts "$dir/empty"
refuses "an empty prompt in a file" "line 2 is empty" --prompts "$dir/gap"
refuses "an empty prompt" "empty word" --prompt ""
refuses "a batch of none" "batch" --batch 0
refuses "a penalty below 1" "penalty" --repetition-penalty 0.5

# T is 32: the window slides over a prompt, and over a text, longer than it.
check "a prompt longer than the context" gen --prompt \
    "$(head -c 2000 "$dir/val.txt")" --tokens 5
check "a text longer than the context" gen --prompt "a" --tokens 100
gen --prompt "$(head -c 2000 "$dir/val.txt" | tr '\n' ' ')z" --tokens 8 \
    --temperature 0 | tail -c +2002 > "$dir/a"
gen --prompt "$(head -c 2000 "$dir/val.txt" | tr '\n' ' ' |
    tail -c 600)z" --tokens 8 --temperature 0 | tail -c +602 > "$dir/b"
check "sees its last T tokens only" cmp "$dir/a" "$dir/b"

# What comes out is UTF-8, and it comes while it is written.
gen --prompt "é" --tokens 400 --temperature 3 --top-p 1 > "$dir/a"
check "a prompt of two bytes survives" grep -q '^é' "$dir/a"
gen --prompt "b" --tokens 100000 > "$dir/slow" 2> /dev/null &
pid=$!
for _ in $(seq 200); do
    [ "$(wc -c < "$dir/slow")" -gt 20 ] && break
    sleep 0.02
done
# Written only when a buffer is full, it would be whole blocks of 4,096 bytes.
size=$(wc -c < "$dir/slow")
if [ "$size" -gt 20 ] && [ $((size % 4096)) -ne 0 ] && kill -0 $pid 2> /dev/null
then ok "text comes out as it is written"
else not_ok "text comes out as it is written" "$size bytes"
fi
kill $pid 2> /dev/null
wait $pid 2> /dev/null
finish
