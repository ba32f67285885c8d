#!/usr/bin/env bash
# The kernels of the chapter on races on a real GPU, right and broken: each is
# run RUNS=1000 times, in blocks of 128 and of 1024 threads, with a limit of
# 20 s; then once, in blocks of 128, under the tools of compute-sanitizer.
# OUTFILE gets rows of figures/data, without commit and date.  Needs a GPU,
# nvcc (or the two programs, compiled before, beside each other in RACES_BIN)
# and compute-sanitizer.
#
# tests/races-gpu.sh OUTFILE
cd "$(dirname "$0")/.." || exit 2
if [ $# -eq 0 ]; then           # make test runs every script
    echo "ok 1 - races on a GPU # SKIP name a file: $0 OUTFILE"
    echo "1..1"
    exit
fi
: "${NVCC:=nvcc}" "${ARCH:=sm_90}" "${RUNS:=1000}"
command -v "$NVCC" > /dev/null || NVCC=/usr/local/cuda/bin/nvcc
tool=$(command -v compute-sanitizer ||
    echo /usr/local/cuda/bin/compute-sanitizer)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bin=${RACES_BIN:-$dir}
for threads in 128 1024; do
    [ -x "$bin/races-$threads" ] ||
        "$NVCC" -O3 -std=c++17 -arch="$ARCH" -lineinfo -DTHREADS=$threads \
            -o "$bin/races-$threads" code/lessons/races.cu || exit 1
done

times_wrong() {     # NAME THREADS: how often its result is wrong
    timeout -k 2 20 "$bin/races-$2" "$1" "$RUNS" > "$dir/out" 2>&1
    case $? in
    124 | 137) echo hangs ;;
    *)  awk -v runs="$RUNS" '/right in/ { print runs - $4; found = 1 }
            END { if (!found) print "fails" }' "$dir/out" ;;
    esac
}

found_by() {        # NAME TOOL: 1 if it complains, 0 if not
    timeout -k 2 60 "$tool" --tool "$2" --error-exitcode 77 \
        "$bin/races-128" "$1" > "$dir/out" 2>&1
    case $? in
    77)        echo 1 ;;
    124 | 137) echo hangs ;;
    *)         if grep -q Warning "$dir/out"
               then echo warns; else echo 0; fi ;;
    esac
}

: > "$1"
for name in $("$bin/races-128" | tail -n +2); do
    for threads in 128 1024; do
        echo "races.$name.$threads.wrong,$(times_wrong "$name" $threads)"
    done
    [ -x "$tool" ] || continue
    for t in racecheck synccheck memcheck; do
        echo "races.$name.$t,$(found_by "$name" $t)"
    done
done | tee -a "$1"
