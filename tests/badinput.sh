#!/bin/bash
# Bad input of every kind: a clear message, the right status, nothing lost.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }
train_small --steps 2 --out "$dir/run" > /dev/null 2> "$dir/stderr" || {
    not_ok "a model to work with" "$(cat "$dir/stderr")"; finish; }
init=$dir/run/step-000002/model.safetensors
fail=1
misuse=2

t() { refuses "train $1" "$2" "$3" train_small --steps 3 "${@:4}"; }
g() { refuses "generate $1" "$2" "$3" "$BIN/generate" --init "$init" \
    --vocab "$dir/vocab" "${@:4}"; }
e() { refuses "eval $1" "$2" "$3" "$BIN/eval" --init "$init" "${@:4}"; }

# ---- options --------------------------------------------------------------
t "unknown option"      $misuse 'unknown option --stesp.*--steps'  --stesp 3
t "option of another's" $misuse 'unknown option --temprature'  --temprature 1
t "one dash"            $misuse 'two dashes'                   -steps 3
t "a stray word"        $misuse 'begins with two dashes'       steps 3
t "no value"            $misuse '--steps: expected N'          --steps
t "unknown choice"      $misuse 'cosin: expected.*did you mean cosine' \
    --schedule cosin
t "unknown model"       $misuse 'gpt2-medum.*gpt2-medium' --model gpt2-medum
for x in nan inf -inf 1e999 "" 3x; do
    t "--lr '$x'" $misuse '--lr.*(expected|finite)' --lr "$x"
done
for name in lr weight-decay clip beta1 beta2 eps lr-last cooldown; do
    t "--$name nan" $misuse "--$name nan: expected a finite" --$name nan
    t "--$name -1"  $misuse "--$name -1: expected a number" --$name -1
done
t "--beta1 1"  $misuse '--beta1 1: expected a number' --beta1 1
for name in batch seq accumulate steps layers heads channels; do
    t "--$name 0"    $misuse "--$name 0: expected a number from 1" --$name 0
    t "--$name -5"   $misuse "--$name -5: expected a number from 1" --$name -5
    t "--$name 9e99" $misuse "--$name 9e99: expected" --$name 9e99
    t "--$name 99999999999999999999" $misuse "--$name 9+: expected" \
        --$name 99999999999999999999
done
t "--warmup beyond the run" $misuse '--warmup 9: the whole run' --warmup 9
t "an empty --data" $misuse '--data: expected GLOB' --data ""
refuses "train without options" $misuse 'which text' "$BIN/train"
refuses "train without a model" $misuse 'which model' "$BIN/train" \
    --data "$dir/train.bin"
refuses "train samples without a vocabulary" $misuse 'need --vocab' \
    "$BIN/train" --model d1 --sample-every 1 --data "$dir/train.bin"
g "unknown option"   $misuse 'unknown option --token;.*--tokens' --token 3
g "--temperature nan" $misuse 'expected a finite' --temperature nan
g "--temperature -1" $misuse 'expected a number'  --temperature -1
g "--top-p 1.5"      $misuse '--top-p 1.5'        --top-p 1.5
g "--top-k -1"       $misuse '--top-k -1'         --top-k -1
g "--tokens 0"       $misuse '--tokens 0'         --tokens 0
refuses "generate without options" $misuse 'give --init' "$BIN/generate"
refuses "eval without options" $misuse '--init|--data' "$BIN/eval"
refuses "tokenize without options" $misuse '.' "$BIN/tokenize"
refuses "tokenize: a word near a command" $misuse 'encode' \
    "$BIN/tokenize" encod

# ---- models ---------------------------------------------------------------
t "heads that do not divide channels" $misuse 'divide' --heads 5
t "sizes that overflow" $misuse '.' --layers 1000 --channels 1000000 \
    --heads 1000
t "--seq over the model's" $misuse '--seq 64: the model takes at most 32' \
    --context 32 --seq 64
refuses "train --init and --layers" $misuse 'the file decides' \
    "$BIN/train" --init "$init" --layers 3 --data "$dir/train.bin" --seq 32
refuses "train --seq over the file's" $misuse 'takes at most 32' \
    "$BIN/train" --init "$init" --data "$dir/train.bin" --seq 33
e "--seq over the model's" $fail '32' --data "$dir/train.bin" --seq 33
refuses "generate --init missing" $fail 'no-such.*cannot open' \
    "$BIN/generate" --init "$dir/no-such" --vocab "$dir/vocab"
refuses "generate --init a folder that is no checkpoint" $fail \
    'model.safetensors: cannot open' \
    "$BIN/generate" --init "$dir" --vocab "$dir/vocab"
head -c 5000 "$init" > "$dir/short.safetensors"
refuses "generate a truncated model" $fail 'short.safetensors' \
    "$BIN/generate" --init "$dir/short.safetensors" --vocab "$dir/vocab"
cp "$init" "$dir/long.safetensors"
echo tail >> "$dir/long.safetensors"
refuses "generate a model with a tail" $fail 'long.safetensors' \
    "$BIN/generate" --init "$dir/long.safetensors" --vocab "$dir/vocab"
: > "$dir/empty.safetensors"
refuses "generate an empty model" $fail 'empty.safetensors' \
    "$BIN/generate" --init "$dir/empty.safetensors" --vocab "$dir/vocab"

# ---- vocabularies ---------------------------------------------------------
"$BIN/tokenize" train --vocab-size 330 --out "$dir/other" "$dir/train.txt" \
    > /dev/null 2>&1
g "a vocabulary of another size" $fail 'has 330 tokens.*made for 320' \
    --vocab "$dir/other"
refuses "train --init with another vocabulary" $fail \
    'has 330 tokens.*made for 320' "$BIN/train" --init "$init" \
    --vocab "$dir/other" --data "$dir/train.bin" --seq 32
t "no such vocabulary" $fail 'nowhere' --vocab "$dir/nowhere"
mkdir "$dir/half"
cp "$dir/vocab/vocab.bpe" "$dir/half"
t "half a vocabulary" $fail 'encoder.json' --vocab "$dir/half"

# ---- shards ---------------------------------------------------------------
t "no shard matches" $fail 'nothing-\*\.bin' --data "$dir/nothing-*.bin"
printf hello > "$dir/hello.bin"
t "no shard but a text" $fail 'hello.bin' --data "$dir/hello.bin"
head -c 2000 "$dir/train.bin" > "$dir/cut.bin"
t "a truncated shard" $fail 'cut.bin' --data "$dir/cut.bin"
{ cat "$dir/train.bin"; printf xx; } > "$dir/more.bin"
t "a shard with a tail" $fail 'more.bin' --data "$dir/more.bin"
{ printf '\001\002\003\004'; tail -c +5 "$dir/train.bin"; } > "$dir/magic.bin"
t "a shard with a wrong magic" $fail 'magic' --data "$dir/magic.bin"
{ head -c 4 "$dir/train.bin"; printf '\002\000\000\000'
  tail -c +9 "$dir/train.bin"; } > "$dir/version.bin"
t "a shard of version 2" $fail 'version' --data "$dir/version.bin"
tokens=$((($(wc -c < "$dir/train.bin") - 1024) / 2))
{ head -c $((1024 + 2 * 777)) "$dir/train.bin"; printf '\377\377'
  tail -c +$((1024 + 2 * 778 + 1)) "$dir/train.bin"; } > "$dir/big.bin"
[ "$(wc -c < "$dir/big.bin")" -eq $((1024 + 2 * tokens)) ] ||
    not_ok "the shard with a large token has its size" ""
t "a token beyond the vocabulary, with its place" $fail '65535.*777|777.*65535' \
    --data "$dir/big.bin"
t "in the validation too" $fail '65535.*777|777.*65535' --val "$dir/big.bin"
e "a token beyond the vocabulary" $fail '65535.*777|777.*65535' \
    --data "$dir/big.bin"
echo short > "$dir/short.txt"
"$BIN/tokenize" encode --vocab "$dir/vocab" --out "$dir/short.bin" \
    "$dir/short.txt" > /dev/null 2>&1
t "a shard shorter than a sequence" $fail 'short.bin' --data "$dir/short.bin"
e "a shard shorter than a sequence" $fail 'short.bin' --data "$dir/short.bin" \
    --seq 32

# ---- the disk -------------------------------------------------------------
t "--out is a file" $fail 'hello.bin' --out "$dir/hello.bin"
t "--out under a file" $fail 'hello.bin' --out "$dir/hello.bin/run"
t "--log in a missing folder" $fail 'no/log.csv: cannot' \
    --log "$dir/no/log.csv"
echo "my notes" > "$dir/notes.csv"
t "--log would overwrite a file" $fail 'exists already' \
    --log "$dir/notes.csv"
check "and the file is untouched" grep -q 'my notes' "$dir/notes.csv"
if [ "$(id -u)" -eq 0 ]; then
    skip "train --out unwritable" "root may write everywhere"
else
    mkdir "$dir/ro" && chmod 555 "$dir/ro"
    t "--out unwritable" $fail 'ro.*Permission' --out "$dir/ro/run"
fi
full() { refuses "train on $1" $fail "$2" train_small "${@:3}"; }
mkdir "$dir/disk"
if [ "$(id -u)" -eq 0 ] &&
    mount -t tmpfs -o size=3m tmpfs "$dir/disk" 2> "$dir/stderr"; then
    trap 'umount "$dir/disk"; rm -rf "$dir"' EXIT
    full "a disk that fills up" \
        'No space left.*the last checkpoint is .*step-' \
        --steps 60 --save-every 2 --keep 0 --out "$dir/disk/run"
    check "the last checkpoint is whole" "$BIN/generate" --tokens 3 --init \
        "$(printf '%s\n' "$dir"/disk/run/step-* | tail -1)/model.safetensors" \
        --vocab "$dir/vocab"
    check "and nothing half written is left" test -z \
        "$(find "$dir/disk" -mindepth 1 -name '*tmp*')"
    head -c 4000000 /dev/zero > "$dir/disk/zeros" 2> /dev/null
    full "a disk that is full" '(checkpoint takes|No space left)' \
        --steps 3 --out "$dir/disk/other"
    rm -rf "$dir"/disk/*
    mount -o remount,ro "$dir/disk"
    full "a read-only disk" 'Read-only' --steps 3 --out "$dir/disk/run"
else
    skip "train on a disk that fills up" "a small disk needs root and mount"
    skip "train on a disk that is full" "a small disk needs root and mount"
    skip "train on a read-only disk" "a small disk needs root and mount"
fi

# ---- nothing was left behind ----------------------------------------------
check "no file was left half written" test -z \
    "$(find "$dir" -mindepth 1 -name '*.tmp-*' | head -3)"
finish
