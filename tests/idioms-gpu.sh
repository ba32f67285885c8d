#!/usr/bin/env bash
# The programs of tests/data/simt/idioms on a real GPU: compiled by nvcc, run
# with a limit of 20 s each.  Every line goes to OUTFILE, a summary is
# printed.  Needs bash and nvcc, no more.  RUNS=5 runs each five times.
#
# tests/idioms-gpu.sh OUTFILE [PATTERN...]
cd "$(dirname "$0")/.." || exit 2
if [ $# -eq 0 ]; then           # make test runs every script
    echo "ok 1 - idioms on a GPU # SKIP name a file: $0 OUTFILE"
    echo "1..1"
    exit
fi
: "${NVCC:=nvcc}" "${ARCH:=sm_90}" "${RUNS:=1}"
: "${JOBS:=$(getconf _NPROCESSORS_ONLN)}"
folder=tests/data/simt/idioms
command -v "$NVCC" > /dev/null || NVCC=/usr/local/cuda/bin/nvcc
out=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

names=$(for p in "${@:-*}"; do
    for f in "$folder"/$p.cu; do
        [ ! -e "$f" ] || basename "$f" .cu
    done
done)
# shellcheck disable=SC2016
echo "$names" | NVCC=$NVCC ARCH=$ARCH dir=$dir folder=$folder \
    xargs -P "$JOBS" -n 1 bash -c '
        $NVCC -O3 -std=c++17 -arch=$ARCH -o "$dir/$0" "$folder/$0.cu" \
            > "$dir/$0.log" 2>&1'

good=0 wrong=0
: > "$out"
for name in $names; do
    line="$name ok"
    if [ ! -x "$dir/$name" ]; then
        line="$name does not compile: $(grep -m 1 error "$dir/$name.log")"
    else
        for ((run = 0; run < RUNS && ${#line} == ${#name} + 3; run++)); do
            line=$(timeout -k 5 20 "$dir/$name" 2>&1)
            status=$?
            case $status in
            0)   ;;
            124 | 137) line="$name hangs (20 s) in run $run: $line" ;;
            *)   line="$line (status $status, run $run)" ;;
            esac
        done
    fi
    echo "$line" >> "$out"
    if [ "$line" = "$name ok" ]; then
        good=$((good + 1))
    else
        wrong=$((wrong + 1))
        echo "$line"
    fi
done
echo "$good idioms are right, $wrong are not; all lines are in $out"
[ $wrong -eq 0 ]
