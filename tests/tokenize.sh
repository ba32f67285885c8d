#!/bin/sh
# The program tokenize from outside: round trips, bad input, nothing half
# written, and time that grows in proportion to the text.
bin=build/bin/tokenize
data=${DATA:-data}
dir=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
n=0
check() {       # check TEXT COMMAND...: ok if the command succeeds
    text=$1; shift
    n=$((n + 1))
    if "$@" > "$dir/log" 2>&1; then echo "ok $n - $text"
    else echo "not ok $n - $text"; head -c 1000 "$dir/log" | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
refused() {     # refused STATUS MESSAGE COMMAND...
    want=$1; message=$2; shift 2
    "$@" > "$dir/out" 2> "$dir/err"
    got=$?
    [ $got -eq "$want" ] && grep -q -e "$message" "$dir/err" && return 0
    echo "status $got, wanted $want; message wanted: $message"
    cat "$dir/err"; return 1
}
same() { "$bin" decode --vocab "$1" "$2" | cmp - "$3"; }
quietly() { "$@" > /dev/null 2>&1; }

cat chapters/*.nw chapters/*/*.nw > "$dir/book.txt"
v=$dir/vocab
check "a vocabulary of the book's text" \
    "$bin" train --vocab-size 512 --out "$v" "$dir/book.txt"
check "the same files again" sh -c "
    $bin train --vocab-size 512 --out $v.2 chapters/*.nw chapters/*/*.nw &&
    $bin train --vocab-size 512 --out $v.3 - < $dir/book.txt &&
    cmp $v/vocab.bpe $v.3/vocab.bpe && cmp $v/encoder.json $v.3/encoder.json"
check "encode the book" "$bin" encode --vocab "$v" --out "$dir/b.bin" \
    "$dir/book.txt"
check "decode gives the book" same "$v" "$dir/b.bin" "$dir/book.txt"
check "standard input is the same text" sh -c "
    $bin encode --vocab $v --out $dir/c.bin - < $dir/book.txt &&
    cmp $dir/b.bin $dir/c.bin"
check "inspect counts the bytes" sh -c "
    $bin inspect --vocab $v $dir/b.bin | grep -q \
    \"bytes  *\$(wc -c < $dir/book.txt),\""
split() {
    "$bin" encode --vocab "$v" --eot --out "$dir/t.bin" --val 0.1 \
        --val-out "$dir/v.bin" chapters/gpt2/text-and-tokens.nw chapters/workshop/text-tables.nw &&
    "$bin" decode --vocab "$v" --out "$dir/t.txt" "$dir/t.bin" &&
    "$bin" decode --vocab "$v" "$dir/v.bin" > "$dir/v.txt" &&
    { cat chapters/gpt2/text-and-tokens.nw; printf '<|endoftext|>'
      cat chapters/workshop/text-tables.nw; printf '<|endoftext|>'; } > "$dir/both" &&
    cat "$dir/t.txt" "$dir/v.txt" | cmp - "$dir/both" &&
    [ "$(wc -c < "$dir/v.txt")" -gt 3000 ]
}
check "train and validation shards are the text, cut once" split
bytes() {
    head -c 300000 /dev/urandom > "$dir/random"
    "$bin" encode --vocab "$v" --out "$dir/r.bin" "$dir/random" &&
    same "$v" "$dir/r.bin" "$dir/random"
}
check "random bytes come back" bytes
: > "$dir/empty"
check "an empty text is an empty shard" sh -c "
    $bin encode --vocab $v --out $dir/e.bin $dir/empty &&
    [ \$(wc -c < $dir/e.bin) -eq 1024 ]"

check "unknown command" refused 2 "did you mean encode" "$bin" encoed
check "unknown option" refused 2 "vocab-size" "$bin" train --vocab-siez 300
check "vocabulary size out of range" refused 2 "256" \
    "$bin" train --vocab-size 256 --out "$dir/x" "$dir/book.txt"
check "no text" refused 2 "text file" "$bin" encode --vocab "$v" \
    --out "$dir/x.bin"
check "missing text" refused 1 "$dir/none: cannot open" \
    "$bin" encode --vocab "$v" --out "$dir/x.bin" "$dir/book.txt" "$dir/none"
check "a directory is no text" refused 1 "$dir" \
    "$bin" encode --vocab "$v" --out "$dir/x.bin" "$dir"
check "missing vocabulary" refused 1 "$dir/none/vocab.bpe" \
    "$bin" encode --vocab "$dir/none" --out "$dir/x.bin" "$dir/book.txt"
check "text too small for the vocabulary" refused 1 "at most 258" \
    sh -c "printf abab | $bin train --vocab-size 300 --out $dir/x -"
check "one file for both shards" refused 2 "same file" "$bin" encode \
    --vocab "$v" --out "$dir/x.bin" --val-out "$dir/x.bin" "$dir/book.txt"
check "unwritable directory" refused 1 "cannot write" "$bin" encode \
    --vocab "$v" --out "$dir/none/x.bin" "$dir/book.txt"
head -c 2000 "$dir/b.bin" > "$dir/cut.bin"
check "a shard cut short" refused 1 "cut off" \
    "$bin" decode --vocab "$v" "$dir/cut.bin"
check "a text is no shard" refused 1 "magic" \
    "$bin" inspect "$dir/book.txt"
quietly "$bin" train --vocab-size 300 --out "$dir/small" "$dir/book.txt"
check "a shard of another vocabulary" refused 1 "vocabulary has only 300" \
    "$bin" decode --vocab "$dir/small" "$dir/b.bin"
sed '7s/.*/broken/' "$v/vocab.bpe" > "$dir/small/vocab.bpe"
check "a broken line of a vocabulary" refused 1 "vocab.bpe: line 7" \
    "$bin" inspect --vocab "$dir/small" "$dir/b.bin"
check "a full device" refused 1 "standard output: cannot write" \
    sh -c "$bin decode --vocab $v $dir/b.bin > /dev/full"
mkdir "$dir/disk"
if mount -t tmpfs -o size=64k none "$dir/disk" 2> /dev/null; then
    trap 'umount "$dir/disk"; rm -rf "$dir"' EXIT
    full() {
        refused 1 "No space left" "$bin" encode --vocab "$v" \
            --out "$dir/disk/x.bin" "$dir/book.txt" &&
        refused 1 "No space left" "$bin" decode --vocab "$v" \
            --out "$dir/disk/x.bin" "$dir/b.bin" &&
        head -c 60000 /dev/zero > "$dir/disk/fill" &&
        refused 1 "No space left" "$bin" train --vocab-size 512 \
            --out "$dir/disk" "$dir/book.txt" &&
        [ "$(ls "$dir/disk")" = fill ]
    }
    check "a full disk: an error, and nothing on it" full
else
    skip "a full disk: an error, and nothing on it" "cannot mount a tmpfs"
fi
left() { test -z "$(find "$dir" -maxdepth 1 -name '*x.bin*' -o -maxdepth 1 -name '*tmp-*')"; }
check "no refused command left a file" left
interrupted() {
    cp "$dir/b.bin" "$dir/old.bin"
    { cat "$dir/book.txt"; sleep 3; } |
        "$bin" encode --vocab "$v" --out "$dir/b.bin" - 2> "$dir/err" &
    pid=$!
    sleep 1
    kill -TERM $pid 2> /dev/null
    wait $pid
    cmp "$dir/b.bin" "$dir/old.bin" && left
}
check "stopped by a signal, the old shard stays" interrupted

# A single word of 10 MB, and lines without an end, in bounded time.
letters() { tr -dc '[:lower:]' < /dev/urandom | head -c "$1"; }
letters 10000000 > "$dir/word"
head -c 10000000 /dev/zero | tr '\0' a > "$dir/aaa"
head -c 10000000 /dev/zero | tr '\0' ' ' > "$dir/spaces"
for _ in $(seq 20); do
    tr '\n' ' ' < "$dir/book.txt"
done | head -c 10000000 > "$dir/line"
for f in word aaa spaces line; do
    check "10 MB: $f" sh -c "timeout 60 $bin encode --vocab $v \
        --out $dir/w.bin $dir/$f && $bin decode --vocab $v $dir/w.bin |
        cmp - $dir/$f"
done

u=/usr/share/unicode
if [ -r $u/UnicodeData.txt ] && grep -q PropList-15.0.0 $u/PropList.txt; then
    table() {
        awk -f tests/reference/unicode_tables.awk $u/PropList.txt \
            $u/UnicodeData.txt | tail -n +2 > "$dir/made"
        sed -n '/class_change\[\] = {/,/^};/p' code/data/unicode.c |
            sed '1d;$d' | cmp - "$dir/made"
    }
    check "the table of letters is Unicode's" table
else
    skip "the table of letters is Unicode's" "unicode-data 15.0 not installed"
fi
if [ -r "$data/gpt2/vocab.bpe" ] && [ -r "$data/tinyshakespeare.txt" ]; then
    gpt2() {
        "$bin" encode --vocab "$data/gpt2" --out "$dir/g.bin" \
            "$data/tinyshakespeare.txt" &&
        "$bin" inspect "$dir/g.bin" | grep -q "tokens  *338025" &&
        same "$data/gpt2" "$dir/g.bin" "$data/tinyshakespeare.txt"
    }
    check "TinyShakespeare is 338,025 tokens of GPT-2" gpt2
else
    skip "TinyShakespeare is 338,025 tokens of GPT-2" "no $data/gpt2"
fi
echo "1..$n"
