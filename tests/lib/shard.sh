# shellcheck shell=sh
# Sourced by the scripts that write a shard of tokens, or a broken one.

word() {                # a little-endian number of $2 bytes
    v=$1 k=$2
    while [ "$k" -gt 0 ]; do
        # shellcheck disable=SC2059
        printf "\\$(printf %03o $((v % 256)))"
        v=$((v / 256)) k=$((k - 1))
    done
}
shard() {               # header count, tokens...
    word 20240520 4; word 1 4; word "$1" 4
    head -c 1012 /dev/zero
    shift
    for t in "$@"; do word "$t" 2; done
}
