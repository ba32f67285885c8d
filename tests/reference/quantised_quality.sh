#!/bin/bash
# What rounding the weights costs: a model of four layers learns TinyShakespeare
# for 700 steps, and its quantised forms predict the last tenth of the text.
#     tests/reference/quantised_quality.sh tinyshakespeare.txt FOLDER
# leaves the files in FOLDER, and prints a line for each: size in bytes, error
# of the matrices in per cent, and what `eval --stride` says.
set -euo pipefail
text=$1 dir=$2 bin=${BIN:-build/bin}
mkdir -p "$dir"
head -c 1003854 "$text" > "$dir/train.txt"
tail -c +1003855 "$text" > "$dir/val.txt"
"$bin/tokenize" train --vocab-size 1024 --out "$dir/vocab" "$dir/train.txt"
for part in train val; do
    "$bin/tokenize" encode --vocab "$dir/vocab" --out "$dir/$part.bin" "$dir/$part.txt"
done
"$bin/train" --data "$dir/train.bin" --val "$dir/val.bin" --vocab "$dir/vocab" \
    --model d4 --layers 4 --channels 256 --heads 4 --context 128 --batch 16 \
    --seq 128 --steps 700 --lr 0.002 --warmup 40 --seed 1 --out "$dir/run"
model=$dir/run/step-000700/model.safetensors
line() {                # name, file, error
    printf '%s %s %s %s\n' "$1" "$(stat -c %s "$2")" "$3" \
        "$("$bin/eval" --init "$2" --heads 4 --data "$dir/val.bin" --batch 8 \
           --seq 128 --stride 64 --against "$model")"
}
line fp32 "$model" 0
for form in bf16.64.amax int8.{32,64,128}.amax int4.{32,64,128}.{amax,search}; do
    IFS=. read -r type group scale <<< "$form"
    said=$("$bin/quantize" --init "$model" --heads 4 --type "$type" --group "$group" \
           --scale "$scale" --out "$dir/$form.safetensors")
    said=${said##* is }
    line "$form" "$dir/$form.safetensors" "${said%% %*}"
done
