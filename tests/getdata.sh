#!/bin/bash
# make data-NAME: downloads are checked, continued, and never half there.
. tests/lib/run.sh
script=code/data/get_data.sh
get() { MIRROR=$mirror sh "$script" "$1" "$dir/data"; }
mkdir "$dir/mirror"
mirror=file://$dir/mirror

if ! command -v curl > /dev/null; then
    skip "downloads" "no curl"
    finish
fi
mirror=https://127.0.0.1:1
refuses "no network: says so and what to do" 1 \
    'cannot download.*call again' get tinyshakespeare
check "and leaves nothing" test -z "$(find "$dir/data" -type f | head -1)"
mirror=http://127.0.0.1:1
refuses "a mirror without https" 1 'begin it with https' get tinyshakespeare
mirror=file://$dir/mirror
refuses "an unknown name" 1 'there are tinyshakespeare' get shakespear
echo "<html>blocked</html>" > "$dir/mirror/input.txt"
refuses "an error page is not the text" 1 \
    'expected SHA-256 86c4e6aa[0-9a-f]{56}, got [0-9a-f]{64}.*do not use it' \
    get tinyshakespeare
check "and is removed" test ! -e "$dir/data/tinyshakespeare.txt.part"

# A shard, whole and cut.
seq 3000 > "$dir/numbers.txt"
mkdir "$dir/v"
"$BIN/tokenize" train --vocab-size 300 --out "$dir/v" "$dir/numbers.txt" \
    > /dev/null 2>&1
shards=$(seq -f 'fineweb_train_%06g' 10)
"$BIN/tokenize" encode --vocab "$dir/v" --out "$dir/shard.bin" \
    "$dir/numbers.txt" > /dev/null 2>&1
for f in fineweb_val_000000 $shards; do
    cp "$dir/shard.bin" "$dir/mirror/$f.bin"
done
export SHARDS=1
refuses "a whole shard with another sum" 1 'expected SHA-256 5b95c8e0' \
    get fineweb10b
check "is not kept" test -z \
    "$(find "$dir/data" -name 'fineweb*' -type f | head -1)"
# The same script with the sum of these shards.
sum=$(sha256sum < "$dir/shard.bin" | cut -d' ' -f1)
sed "/^fineweb_/ { n; s/.*/$sum/ }" $script > "$dir/get_data.sh"
script=$dir/get_data.sh
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
refuses "a shard that was cut" 1 "expected SHA-256 $sum" get fineweb10b
cp "$dir/shard.bin" "$dir/mirror/fineweb_train_000001.bin"
echo x >> "$dir/data/fineweb10b/fineweb_val_000000.bin"
refuses "a file of ours that has changed" 1 'move it away' get fineweb10b
cp "$dir/shard.bin" "$dir/data/fineweb10b/fineweb_val_000000.bin"
export SHARDS=10
check "a shard without a sum is checked by its structure, and says so" \
    grep -q '000010.bin: .* by its structure only' <(get fineweb10b)
rm "$dir/data/fineweb10b/fineweb_train_000010.bin"
truncate -s -2 "$dir/mirror/fineweb_train_000010.bin"
refuses "and refused if it is shorter than its header says" 1 \
    'no whole shard: its header promises [0-9]* bytes' get fineweb10b
script=code/data/get_data.sh

# Only https, also after a redirection.
check "curl is told so" test 1 = "$(sed -n '/^get()/,/^}/p' $script |
    grep -c -e '--proto =https,file --proto-redir =https --tlsv1.2')"
check "the addresses are https" test -z \
    "$(grep -o '[a-z]*://[^ ]*' $script | grep -v '^https\|^file' | head -1)"

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
