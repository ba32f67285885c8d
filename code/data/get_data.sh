# Tangled from chapters/workshop/programs.nw, "make data".  Edit it there.

# get_data.sh NAME DIR: download the data set NAME into DIR.
# NAME is tinyshakespeare, gpt2 or fineweb10b.  MIRROR=ADDRESS: take the
# files from ADDRESS/FILE.  SHARDS=N: how many shards of fineweb10b.
set -eu
name=$1 data=$2

# The line length of this book breaks a sum in two.
sum_tinyshakespeare=86c4e6aa9db7c042ec79f339dcb96d42
sum_tinyshakespeare=${sum_tinyshakespeare}b0075e16b8fc2e86bf0ca57e2dc565ed
sum_vocab_bpe=1ce1664773c50f3e0cc8842619a93edc
sum_vocab_bpe=${sum_vocab_bpe}4624525b728b188a9e0be33b7726adc5
sum_encoder_json=196139668be63f3b5d6574427317ae82
sum_encoder_json=${sum_encoder_json}f612a97c5d1cdaf36ed2256dbf636783

lack() { echo "data-$name: $*" >&2; exit 1; }

command -v curl > /dev/null || lack "needs curl; run make setup"
command -v sha256sum > /dev/null || lack "needs sha256sum (coreutils)"

# shard_size FILE -> the length that a shard's header promises, in bytes
shard_size() {
    [ "$(od -An -tu4 -N8 "$1" | tr -s ' ')" = " 20240520 1" ] || return 1
    echo $((1024 + 2 * $(od -An -tu4 -j8 -N4 "$1")))
}

# check FILE CHECK: sha256:SUM, shard, or safetensors
check() {
    case $2 in
    sha256:*)
        [ "sha256:$(sha256sum < "$1" | cut -d' ' -f1)" = "$2" ] ;;
    shard)
        [ "$(shard_size "$1")" = "$(wc -c < "$1")" ] ;;
    json)
        [ "$(head -c 1 "$1")" = "{" ] ;;
    safetensors)
        n=$(od -An -tu8 -N8 "$1" | tr -d ' ')
        [ "$n" -gt 2 ] && [ "$n" -lt "$(wc -c < "$1")" ] &&
            [ "$(tail -c +9 "$1" | head -c 1)" = "{" ] ;;
    esac
}

# get ADDRESS FILE CHECK [NAME THERE, if it is not the file's]
get() {
    file=$data/$2
    address=${MIRROR:-$1}/${4:-$(basename "$2")}
    mkdir -p "$(dirname "$file")"
    if [ -e "$file" ]; then
        check "$file" "$3" || lack "$file is there and fails its check" \
            "($3); remove it and call again"
        echo "$file: there already, and right"
        return
    fi
    echo "$address"
    curl --fail --location --retry 3 --connect-timeout 20 -C - \
        --progress-bar -o "$file.part" "$address" ||
        lack "cannot download $address (no network? curl says why above);" \
            "what has come is kept, call again to go on"
    check "$file.part" "$3" || {
        sum=$(sha256sum < "$file.part" | cut -d' ' -f1)
        rm -f "$file.part"
        lack "$address is not what was expected ($3; its SHA-256 is" \
            "$sum); it was removed"
    }
    mv "$file.part" "$file"
    echo "$file: $(wc -c < "$file") bytes, checked (${3%%:*})," \
        "SHA-256 $(sha256sum < "$file" | cut -d' ' -f1)"
}

raw=https://raw.githubusercontent.com
hub=https://huggingface.co
gpt2=https://openaipublic.blob.core.windows.net/gpt-2/encodings/main
case $name in
tinyshakespeare)
    get $raw/karpathy/char-rnn/master/data/tinyshakespeare \
        tinyshakespeare.txt \
        sha256:$sum_tinyshakespeare input.txt
    ;;
gpt2)
    get $gpt2 gpt2/vocab.bpe sha256:$sum_vocab_bpe
    get $gpt2 gpt2/encoder.json sha256:$sum_encoder_json
    get $hub/openai-community/gpt2/resolve/main \
        gpt2/model.safetensors safetensors
    get $hub/openai-community/gpt2/resolve/main gpt2/config.json json
    ;;
fineweb10b)
    from=$hub/datasets/kjj0/fineweb10B-gpt2/resolve/main
    get $from fineweb10b/fineweb_val_000000.bin shard
    i=1
    while [ $i -le "${SHARDS:-10}" ]; do
        get $from "fineweb10b/fineweb_train_$(printf %06d $i).bin" shard
        i=$((i + 1))
    done
    ;;
*)
    lack "unknown; there are tinyshakespeare, gpt2 and fineweb10b" ;;
esac
