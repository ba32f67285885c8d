#!/bin/bash
# make data-NAME: downloads are checked, continued, and never half there.
. tests/lib/run.sh
get() { MIRROR=$mirror sh code/data/get_data.sh "$1" "$dir/data"; }
mkdir "$dir/mirror"
mirror=file://$dir/mirror

if ! command -v curl > /dev/null; then
    skip "downloads" "no curl"
    finish
fi
mirror=http://127.0.0.1:1
refuses "no network: says so and what to do" 1 \
    'cannot download.*call again' get tinyshakespeare
check "and leaves nothing" test -z "$(find "$dir/data" -type f | head -1)"
mirror=file://$dir/mirror
refuses "an unknown name" 1 'there are tinyshakespeare' get shakespear
echo "<html>blocked</html>" > "$dir/mirror/input.txt"
refuses "an error page is not the text" 1 'not what was expected.*SHA-256' \
    get tinyshakespeare
check "and is removed" test ! -e "$dir/data/tinyshakespeare.txt.part"

# A shard, whole and cut.
seq 3000 > "$dir/numbers.txt"
mkdir "$dir/v"
"$BIN/tokenize" train --vocab-size 300 --out "$dir/v" "$dir/numbers.txt" \
    > /dev/null 2>&1
for f in fineweb_val_000000 fineweb_train_000001; do
    "$BIN/tokenize" encode --vocab "$dir/v" --out "$dir/mirror/$f.bin" \
        "$dir/numbers.txt" > /dev/null 2>&1
done
export SHARDS=1
check "shards are fetched" get fineweb10b
check "and whole" cmp "$dir/mirror/fineweb_train_000001.bin" \
    "$dir/data/fineweb10b/fineweb_train_000001.bin"
check "a second call finds them there" grep -q 'there already' <(get fineweb10b)
rm "$dir/data/fineweb10b/fineweb_train_000001.bin"
head -c 5000 "$dir/mirror/fineweb_train_000001.bin" \
    > "$dir/data/fineweb10b/fineweb_train_000001.bin.part"
check "a broken download goes on" get fineweb10b
check "and is whole" cmp "$dir/mirror/fineweb_train_000001.bin" \
    "$dir/data/fineweb10b/fineweb_train_000001.bin"
truncate -s -2 "$dir/mirror/fineweb_train_000001.bin"
rm "$dir/data/fineweb10b/fineweb_train_000001.bin"
refuses "a shard shorter than its header says" 1 'not what was expected' \
    get fineweb10b

if [ -e "${DATA:-data}/tinyshakespeare.txt" ]; then
    cp "${DATA:-data}/tinyshakespeare.txt" "$dir/mirror/input.txt"
    check "TinyShakespeare's sum is right" get tinyshakespeare
else
    skip "TinyShakespeare's sum is right" \
        "${DATA:-data}/tinyshakespeare.txt is not there"
fi
if [ -e "${DATA:-data}/gpt2/vocab.bpe" ]; then
    cp "${DATA:-data}"/gpt2/* "$dir/mirror/"
    refuses "without GPT-2's weights the vocabulary still comes" 1 \
        'model.safetensors' get gpt2
    check "with the right sums" test -e "$dir/data/gpt2/encoder.json"
else
    skip "the sums of GPT-2's vocabulary are right" \
        "${DATA:-data}/gpt2 is not there"
fi
finish
