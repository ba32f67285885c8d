#!/bin/bash
# The numbers of chapter 1 that are in two places: the table of GPUs and the
# list it was typed from; the text and the data it speaks of; the printed run.
. tests/lib/run.sh
chapter=chapters/machine/memory-wall.nw
list=figures/data/gpus.csv

# column N of a GPU in the list
given() { awk -F, -v g="$1" -v k="$2" '$1 == g { print $k }' "$list"; }
# the row of the table that starts so, without its label
table() { awk -F' *[|] *' -v r="$1" '$2 == r { print $3, $4, $5, $6, $7 }' "$chapter"; }
column() {          # what, label in the table, column of the list
    local want="" g
    for g in "RTX 4090" "A100 40 GB" "A100 80 GB" "H100 SXM" "H200 SXM"; do
        want="$want $(given "$g" "$3")"
    done
    check "table of GPUs, $1" test "$(table "$2")" = "${want# }"
}
column year announced 2
column multiprocessors 'multiprocessors (SM)' 3
column clock 'clock at the peak, GHz' 4
column float32 'float32, TFLOP/s' 5
column matrix 'bf16 matrix, dense, TFLOP/s' 6
column memory 'memory, GB/s' 7
column power 'power, W' 9

# multiprocessors x FLOP per cycle x clock, within half a per cent
peak() {            # GPU, FLOP per SM and cycle
    check "peak of the $1 is a product of three numbers" awk -v f="$2" \
        -v s="$(given "$1" 3)" -v c="$(given "$1" 4)" -v p="$(given "$1" 6)" \
        'BEGIN { x = s * f * c / 1000; exit !(x / p > 0.995 && x / p < 1.005) }'
}
peak "Tesla V100 SXM2" 1024
peak "A100 40 GB" 2048
peak "RTX 4090" 512
peak "H200 SXM" 4096

# the sentence on clocks and transistors
check "16 to 3,652 MHz, 227 times; 274 million to 58 billion, 212 times" \
    awk -F, '/^[0-9]/ && $1 == 1985.9 { a = $3 }
        /^[0-9]/ && $1 == 2004.8 { b = $3; t = $2 }
        /^[0-9]/ && $1 == 2021.9 { u = $2; c = $3 }
        END { exit !(int(b / a + .5) == 227 && b == 3652 && c == 3200 &&
                     int(u / t) == 212) }' figures/data/microprocessors.csv

line=$(head -1 figures/data/lower-bound.txt)
command=${line#\$ }
check "the printed run of lower-bound" diff \
    <(echo "$line"; sh -c "${command//build\/bin/$BIN}") \
    figures/data/lower-bound.txt
refuses "lower-bound without work" 2 'flop' "$BIN/lower-bound"
refuses "lower-bound with a list that is none" 1 'expected' \
    "$BIN/lower-bound" --flop 1 --gpus README.md
refuses "lower-bound with negative bytes" 2 'bytes' "$BIN/lower-bound" --bytes -1
finish
