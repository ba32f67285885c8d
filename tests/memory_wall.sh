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
check "16 to 3,652 MHz, 227 times; 274 million to 58 billion, 213 times" \
    awk -F, '/^[0-9]/ && $1 == 1985.9 { a = $3 }
        /^[0-9]/ && $1 == 2004.8 { b = $3; t = $2 }
        /^[0-9]/ && $1 == 2021.9 { u = $2; c = $3 }
        END { exit !(int(b / a + .5) == 227 && b == 3652 && c == 3200 &&
                     int(u / t + .5) == 213) }' figures/data/microprocessors.csv
check "after 2004 at most 4,656 MHz, in 2007, and at least 2,308" \
    awk -F, '/^[0-9]/ && $1 > 2004.8 {
            if ($3 > most) { most = $3; year = $1 }
            if (!least || $3 < least) least = $3 }
        END { exit !(most == 4656 && int(year) == 2007 && least == 2308) }' \
    figures/data/microprocessors.csv
check "power: 155 W in 2003, 95 to 170 until 2011, 500 in 2021" \
    awk -F, '/^[0-9]/ && $1 == 2003.4 { first = $4 }
        /^[0-9]/ && $1 > 2004 && $1 < 2012 && ($4 < 95 || $4 > 170) { bad++ }
        /^[0-9]/ && $1 == 2021.9 { last = $4 }
        END { exit !(int(first) == 155 && !bad && last == 500) }' \
    figures/data/microprocessors.csv
for said in "4,656 MHz, reached in 2007" "between 2,308 and 4,656" \
            "to 155 in 2003"; do
    check "the chapter says: $said" grep -q "$said" "$chapter"
done

# the balance of matrix arithmetic and memory, and how the text says it grew
balance() { awk -F, -v g="$1" '$1 == g { print 1000 * $6 / $7 }' "$list"; }
check "balance: 29 and 139 within a year, then twice as much in seven" \
    awk -v a="$(balance "Tesla P100 SXM2")" -v b="$(balance "Tesla V100 SXM2")" \
        -v c="$(balance "B200 (HGX)")" -v k="$(balance "Tesla K40")" \
        -v o="$(balance "Tesla C870")" \
        'BEGIN { exit !(int(a + .5) == 29 && int(b + .5) == 139 &&
                        c / b > 1.95 && c / b < 2.1 &&
                        log(b / k) / log(c / o) > 0.5) }'

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
