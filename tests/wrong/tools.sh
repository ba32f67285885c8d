#!/usr/bin/env bash
# What NVIDIA's tools find in the known-wrong kernels of tests/wrong/simt, on
# a GPU: a line for each, its name, what is wrong, and what each of the four
# tools of compute-sanitizer says: found, warns, hangs (20 s), or -.
#
# tests/wrong/tools.sh [NAME...]    needs nvcc, compute-sanitizer and a GPU
cd "$(dirname "$0")/../.." || exit 2
folder=tests/wrong/simt

one() {             # NAME DIRECTORY
    local f=$folder/$1.cu tool status said line
    line=$(printf '%-26s %-20s' "$1" "$(sed -n '1s,^// \([^:]*\):.*,\1,p' "$f")")
    nvcc -w -lineinfo -std=c++17 -arch="sm_${SM:-90}" -o "$2/$1" "$f" \
        2> "$2/$1.log" || { echo "$line not compiled"; return; }
    for tool in memcheck racecheck synccheck initcheck; do
        timeout -k 2 20 compute-sanitizer --tool $tool --error-exitcode 77 \
            "$2/$1" > "$2/$1.$tool" 2>&1
        status=$?
        case $status in
        124 | 137) said=hangs ;;
        77)        said=found ;;
        *)         said=-
                   ! grep -q Warning "$2/$1.$tool" || said=warns ;;
        esac
        line=$line$(printf ' %6s' $said)
    done
    echo "$line"
}

if [ "$1" = --one ]; then
    one "$3" "$2"
    exit
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if [ $# -gt 0 ]
then printf '%s\n' "$@"
else basename -s .cu $folder/*.cu
fi | xargs -P "${JOBS:-8}" -n 1 "$0" --one "$dir" | sort
