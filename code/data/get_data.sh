#!/bin/sh
# Tangled from chapters/workshop/programs.nw, "make data".  Edit it there.

# get_data.sh NAME DIR: download the data set NAME into DIR.
# NAME is tinyshakespeare, gpt2 or fineweb10b.  MIRROR=ADDRESS: take the
# files from ADDRESS/FILE, where ADDRESS begins with https:// or file://.
# SHARDS=N: how many shards of fineweb10b, 9 unless you say more or less.
set -eu
name=$1 data=$2

lack() { echo "data-$name: $*" >&2; exit 1; }

command -v curl > /dev/null || lack "needs curl; run make setup"
command -v sha256sum > /dev/null || lack "needs sha256sum (coreutils)"
case ${MIRROR:-https://} in
https://* | file://*) ;;
*) lack "MIRROR=$MIRROR: begin it with https:// or file://" ;;
esac

# the sums of the files
# sum_of FILE: the SHA-256 that it must have, or nothing
sum_of() {
    awk -v file="$1" '$1 == file { getline; print $1 }' << 'END'
input.txt
86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed
vocab.bpe
1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5
encoder.json
196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783
model.safetensors
248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707
config.json
0daed7749b4f02b8f76240d5444551d7b08712dab4d0adb8239c56ba823bb7b4
fineweb_val_000000.bin
5b95c8e0966f0861685b307b23dc5ae42b228ef74b28cb499784ae021f201640
fineweb_train_000001.bin
771fa4a99b9fe0946ffb6e848b4ba5c6a9b0fe87860ebf03bc2c1c7e45f8178e
fineweb_train_000002.bin
d4ba8d2d740905a836a4222d2aff01750560e7d49a51a745a1b3235520aec2cd
fineweb_train_000003.bin
f70fa272369730fd9e39f1848bfe4daa3289b6e490c1e7762777f00ea8b66246
fineweb_train_000004.bin
d8d88850f89fe2030e866380e90d544167467d407080403b830b903543925835
fineweb_train_000005.bin
36cef3fc41863eb6731b41e986edde38e368853ee6deb87b928990bf445a119c
fineweb_train_000006.bin
d80e5b209983e636655fc738fdf281f0132f0298bf4c0848f7e7a6bea6ca06f0
fineweb_train_000007.bin
fa9f94dce61686b5467bc6cd3078424203db23ac254d804a6d8d5d440afc1e11
fineweb_train_000008.bin
308e6937af5d78b7489a8aac3a3951dced5b46103e613f8bc4eb543f5092526c
fineweb_train_000009.bin
1635300891634346ecff3a78d6e489a69c647885f0dcd249fe3eb76fac683458
END
}

# check a file
# shard_size FILE -> the length that a shard's header promises, in bytes
shard_size() {
    [ "$(od -An -tu4 -N8 "$1" | tr -s ' ')" = " 20240520 1" ] || return 1
    echo $((1024 + 2 * $(od -An -tu4 -j8 -N4 "$1")))
}

# check FILE NAME: is FILE what NAME must be?  Says by what in $how, and
# what is wrong in $wrong.
check() {
    want=$(sum_of "$2") got=$(sha256sum < "$1" | cut -d' ' -f1)
    if [ -n "$want" ]; then
        how="by its SHA-256" wrong="expected SHA-256 $want, got $got"
        [ "$got" = "$want" ]
    else
        how="by its structure only: we know no sum of it"
        wrong="no whole shard: its header promises"
        wrong="$wrong $(shard_size "$1" || echo nothing) bytes,"
        wrong="$wrong it has $(wc -c < "$1"); its SHA-256 is $got"
        [ "$(shard_size "$1")" = "$(wc -c < "$1")" ]
    fi
}

# get a file
# get ADDRESS FILE [NAME THERE, if it is not the file's]
get() {
    file=$data/$2 there=${3:-$(basename "$2")}
    address=${MIRROR:-$1}/$there
    mkdir -p "$(dirname "$file")"
    if [ -e "$file" ]; then
        check "$file" "$there" || lack "$file is there and is not what it" \
            "should be ($wrong); move it away and call again"
        echo "$file: there already, and right"
        return
    fi
    echo "$address"
    curl --proto =https,file --proto-redir =https --tlsv1.2 --fail \
        --location --retry 3 --connect-timeout 20 -C - \
        --progress-bar -o "$file.part" "$address" ||
        lack "cannot download $address (no network? curl says why above);" \
            "what has come is kept, call again to go on"
    check "$file.part" "$there" || {
        rm -f "$file.part"
        lack "$address is not what it should be: $wrong; it was removed." \
            "Call again; if it comes again, the connection or the address" \
            "gives another file than ours: do not use it, and tell us"
    }
    mv "$file.part" "$file"
    echo "$file: $(wc -c < "$file") bytes, checked $how; SHA-256 $got"
}

# get the files of a data set
raw=https://raw.githubusercontent.com
hub=https://huggingface.co
gpt2=https://openaipublic.blob.core.windows.net/gpt-2/encodings/main
case $name in
tinyshakespeare)
    get $raw/karpathy/char-rnn/master/data/tinyshakespeare \
        tinyshakespeare.txt input.txt
    ;;
gpt2)
    get $gpt2 gpt2/vocab.bpe
    get $gpt2 gpt2/encoder.json
    from=$hub/openai-community/gpt2/resolve
    from=$from/607a30d783dfa663caf39e06633721c8d4cfcd7e
    get $from gpt2/model.safetensors
    get $from gpt2/config.json
    ;;
fineweb10b)
    from=$hub/datasets/kjj0/fineweb10B-gpt2/resolve
    from=$from/889765ea1f903759787add96995d81171b632d0c
    get $from fineweb10b/fineweb_val_000000.bin
    i=1
    while [ $i -le "${SHARDS:-9}" ]; do
        get $from "fineweb10b/fineweb_train_$(printf %06d $i).bin"
        i=$((i + 1))
    done
    ;;
*)
    lack "unknown; there are tinyshakespeare, gpt2 and fineweb10b" ;;
esac
