#!/bin/bash
# Numbers of the training chapter that need no machine, computed again.
. tests/lib/run.sh
fact() { awk -F, -v n="$1" '$1 == n { print $2 }' figures/data/training.csv; }
check "28 bytes for each of GPT-2's parameters" test "$(awk 'BEGIN {
    printf "%.3f", 124439808 * 28 / 1e9 }')" = "$(fact adamw.bytes)"
if [ -e "${DATA:-data}/tinyshakespeare.txt" ] &&
    [ -e "${DATA:-data}/gpt2/vocab.bpe" ]; then
    text=${DATA:-data}/tinyshakespeare.txt
    vocab=${DATA:-data}/gpt2
    "$BIN/tokenize" encode --vocab "$vocab" --out "$dir/all.bin" "$text" \
        > /dev/null 2>&1
    check "different tokens in TinyShakespeare" grep -Eq \
        "different +$(fact training.tokens.seen)\$" \
        <("$BIN/tokenize" inspect "$dir/all.bin")
    awk -v out="$dir/train.txt" 'int(NR / 100) % 10 != 7 { print > out }' \
        "$text"
    "$BIN/tokenize" encode --vocab "$vocab" --out "$dir/train.bin" \
        "$dir/train.txt" > /dev/null 2>&1
    check "the entropy of its single tokens" grep -q \
        " $(fact training.unigram.tinyshakespeare) for a model" \
        <("$BIN/train" --data "$dir/train.bin" --layers 1 --heads 1 \
            --channels 8 --vocab "$vocab" --seq 8 --batch 1 --steps 1)
else
    skip "different tokens in TinyShakespeare" "no data in ${DATA:-data}"
    skip "the entropy of its single tokens" "no data in ${DATA:-data}"
fi
finish
