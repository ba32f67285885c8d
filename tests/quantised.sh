#!/bin/bash
# The program quantize: sizes, errors and losses of its files, what it refuses,
# and what programs that read such a file refuse.
. tests/lib/run.sh
. tests/lib/shard.sh
model=tests/data/gpt2-tiny/model.safetensors
# shellcheck disable=SC2046
shard 200 $(awk 'BEGIN { for (i = 0; i < 200; i++) print i * i % 131 }') \
    > "$dir/shard.bin"
loss() { "$BIN/eval" --init "$1" --heads 3 --data "$dir/shard.bin" --seq 19 \
         | awk '{ print $2 }'; }
quantize() { "$BIN/quantize" --init "$model" --heads 3 "$@"; }
is() {                  # text, an expression of awk, variables...
    local text=$1 expression=$2
    shift 2
    if awk "$@" "BEGIN { exit !($expression) }" < /dev/null
    then ok "$text"; else not_ok "$text" "$*"; fi
}

original=$(loss "$model")
for kind in int8.32 int8.128 int4.32 int4.128 bf16.64; do
    quantize --type "${kind%.*}" --group "${kind#*.}" --out "$dir/$kind" \
        > "$dir/said.$kind" 2>> "$dir/errors"
done
error() { sed 's/.* is \([0-9.]*\) %.*/\1/' "$dir/said.$1"; }
is "int8 is off by half a per cent, int4 by 18 times as much, bf16 by less" \
    'i8 > 0.4 && i8 < 0.8 && i4 > 16 * i8 && i4 < 20 * i8 && b < 0.2 && b > 0' \
    -v i8="$(error int8.32)" -v i4="$(error int4.32)" -v b="$(error bf16.64)"
is "larger groups are less accurate" 'a < b && c < d' \
    -v a="$(error int8.32)" -v b="$(error int8.128)" \
    -v c="$(error int4.32)" -v d="$(error int4.128)"
is "the losses stay near the original, int4 farthest from it" \
    '(a - o) ^ 2 < 1e-5 && (b - o) ^ 2 < 1e-2 && b != o && (a - o) ^ 2 < (b - o) ^ 2' \
    -v o="$original" -v a="$(loss "$dir/int8.32")" -v b="$(loss "$dir/int4.32")"
"$BIN/quantize" --init "$dir/int4.32" --heads 3 --type int4 --group 32 \
    --out "$dir/again" > "$dir/said.again" 2>> "$dir/errors"
is "a quantised file can be read and quantised again" \
    'e < 1' -v e="$(error again)"

refuses "a group of 48" 2 "48; expected 32, 64, 128" \
    quantize --group 48 --out "$dir/no"
refuses "a group of 16" 2 "16; expected 32, 64, 128" \
    quantize --group 16 --out "$dir/no"
refuses "an unknown type" 2 "int8" \
    quantize --type int5 --out "$dir/no"
refuses "no --out" 2 "out FILE" quantize

# A file with a change of a few bytes: sed's, or at the begin of a tensor.
edited() { LC_ALL=C sed "$2" "$1" > "$dir/bad.safetensors"; }
patched() {             # file, tensor, bytes from its begin, printf's text
    local length at
    length=$(od -An -tu8 -N8 "$1" | tr -d ' ')
    at=$(head -c $((8 + length)) "$1" | tail -c "$length" | LC_ALL=C sed \
         "s/.*\"$2\":{[^}]*\"data_offsets\":\[\([0-9]*\),.*/\1/")
    cp "$1" "$dir/bad.safetensors"
    # shellcheck disable=SC2059
    printf "$4" | dd of="$dir/bad.safetensors" bs=1 conv=notrunc \
        seek=$((8 + length + at + $3)) 2> /dev/null
}
bad() { refuses "$1" 1 "$2" "$BIN/eval" --init "$dir/bad.safetensors" \
        --heads 3 --data "$dir/shard.bin" --seq 19; }
matrix=transformer.h.0.attn.c_attn.weight
edited "$dir/int8.32" "s/$matrix.scale/$matrix.stale/"
bad "scales that are missing" "c_attn.weight.scale' is missing"
edited "$dir/int8.32" 's/\(h.1.mlp.c_proj.weight":{"dtype":"\)I8/\1U8/'
bad "int8 that is called int4" "c_proj.weight' at byte .*shape .48,128"
edited "$dir/int8.32" "s/\($matrix\":{\"dtype\":\"\)I8/\1F8/"
bad "a type that does not exist" "dtype 'F8' is unknown"
edited "$dir/int8.32" "s/\(c_attn.weight.scale\":{\"dtype\":\"\)BF16/\1U16 /;s/\"U16 \"/\"U16\" /g"
bad "scales that are integers" "must be BF16"
edited "$dir/int4.32" 's/\(c_attn.weight.scale":{"dtype":"BF16","shape":\[\)144,2\]/\172,4 ]/'
bad "scales of another shape" "row for each of 144"
patched "$dir/int8.32" "$matrix.scale" 6 '\300\177'
bad "a scale that is not a number" "scale 3 is nan"
patched "$dir/int8.32" "$matrix.scale" 2 '\000\277'
bad "a scale below zero" "scale 1 is -0.5"
patched "$model" "$matrix" 4 '\000\000\300\177'
refuses "a model with NaN" 1 "c_attn.weight': the weight of input 0 for output 1 is nan" \
    "$BIN/quantize" --init "$dir/bad.safetensors" --heads 3 --out "$dir/no"
if [ -e "$dir/no" ]; then not_ok "a refusal leaves no file"
else ok "a refusal leaves no file"; fi
finish
