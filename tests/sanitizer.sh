#!/usr/bin/env bash
# Every kernel of tests/wrong/simt has one mistake: the sanitizer must name
# its kind and its line, and what its line "// says:" asks for, and the program
# must end with status 86.  Compiled with -DRIGHT, without the mistake, nothing
# may be said.
. tests/lib/run.sh
. tests/lib/many.sh
export SIMT_CHECK=strict             # a leak, too, sets the status

if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "known-wrong kernels" "no clang: apt install clang"
    finish
fi

together=16         # programs in one

# batch NAME...: two lines for each, "ok - ..." or "not ok - ... : why"
batch() {
    local f name kind lines status what batch=$dir/$1
    # a header with types belongs to all programs, not to one's namespace
    { echo '#include <cuda.h>'
      many tests/wrong/simt "$@" "${@/%/+RIGHT}"; } > "$batch.cu"
    # C++14, whose <cmath> is a third as long: a quarter less to wait for
    "$BIN/simtcc" -std=c++14 -w -Itests/wrong/simt $linker \
        -o "$batch" "$batch.cu" > "$batch.log" 2>&1
    for name; do
        f=tests/wrong/simt/$name.cu
        kind=$(sed -n '1s,^// \([^:]*\):.*,\1,p' "$f")
        lines=$(grep -n HERE "$f" | cut -d: -f1 | tr '\n' ' ')
        for what in wrong right; do
            if ! [ -x "$batch" ]; then
                echo "not ok - $name, $what: $(head -1 "$batch.log")"
                continue
            fi
            timeout 60 "$batch" "$name${PLUS[$what]}" \
                > "$dir/$name-$what.out" 2>&1
            status=$?
            if [ "$what" = right ] || [ "$kind" = nothing ]; then
                says_nothing
            else
                says_it
            fi
        done
    done
    rm -f "$batch"
}

says_nothing() {
    if [ $status -eq 0 ] && [ "$(cat "$dir/$name-$what.out")" = "no error" ]
    then
        echo "ok - $name, $what: silent"
    else
        echo "not ok - $name, $what: $(head -3 "$dir/$name-$what.out")"
    fi
}

says_it() {
    local line found advice
    advice=$(sed -n 's,^// says: ,,p' "$f")
    for line in ${lines:-host}; do
        if [ "$line" = host ]; then
            grep -q "^the host: $kind: " "$dir/$name-$what.out"
        else
            grep -q "^$f:$line: $kind: " "$dir/$name-$what.out"
        fi && found=$line
    done
    if [ $status -ne 86 ]; then
        echo "not ok - $name: status $status, expected 86"
    elif [ -z "$found" ]; then
        echo "not ok - $name: no '$kind' at line ${lines:-of the host}:" \
            "$(head -2 "$dir/$name-$what.out" | tr '\n' ' ')"
    elif ! tr -s '\n ' ' ' < "$dir/$name-$what.out" | grep -qF -e "$advice"
    then
        echo "not ok - $name: does not say '$advice'"
    else
        echo "ok - $name: $kind, line $found"
    fi
}

# With names: only those kernels.  tests/sanitizer.sh leak 'async-*'
files() {
    local p
    for p in "${@:-*}"; do
        compgen -G "tests/wrong/simt/$p.cu"
    done
}

if [ "$1" = --batch ]; then
    dir=$2
    trap - EXIT
    declare -A PLUS=([wrong]="" [right]=+RIGHT)
    batch "${@:3}"
    exit
fi
results=$(files "$@" | sed 's,.*/,,; s,\.cu$,,' |
    xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -n $together \
        "$0" --batch "$dir" | sort -k3)
while read -r line; do
    case $line in
    ok*) ok "${line#ok - }" ;;
    *)   not_ok "${line#not ok - }" ;;
    esac
done <<END
$results
END

# What comes from another buffer is as unwritten as it was there.
holes() {
    "$BIN/simtcc" -o "$dir/holes" tests/data/simt/holes.cu || return 1
    "$dir/holes" > "$dir/holes.txt" 2>&1
    if [ $? -ne 86 ] || ! tr -s '\n ' ' ' < "$dir/holes.txt" |
        grep -qF 'of which 128 were never written; the first is byte 1 of allocation 2'
    then cat "$dir/holes.txt"; return 1; fi
}
[ $# -gt 0 ] || check "holes that were copied from buffer to buffer" holes

# Lanes of one warp: the barrier of the block is advised as well, if the block
# has more than one.
# An update such as n[k]++ is not to be repaired by a barrier, but what else
# loads and stores on one line is.
advises() {         # FILE ADVICE
    "$BIN/simtcc" -o "$dir/lanes" "$1" || return 1
    "$dir/lanes" 2>&1 | tr -s '\n ' ' ' > "$dir/lanes.txt"
    grep -qF "$2" "$dir/lanes.txt" || { cat "$dir/lanes.txt"; return 1; }
}
no_update() { ! grep -F "This line loads" "$1"; }
kernel() {          # LINE: a block of two warps in which all threads run it
    cat > "$dir/line.cu" << .
__global__ void k(int *n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t + 1;
    __syncthreads();
    $1
    n[t] = s[t];
}
int main() {
    int *n;
    cudaMalloc(&n, 256);
    k<<<1, 64>>>(n);
    cudaDeviceSynchronize();
    cudaFree(n);
}
.
}
if [ $# -eq 0 ]; then
    syncwarp="put __syncwarp() between the two"
    check "lanes of the only warp" \
        advises tests/wrong/simt/carry.cu "$syncwarp."
    kernel 's[t] = s[t] / s[0];'
    check "lanes of one warp among others" \
        advises "$dir/line.cu" "$syncwarp, or __syncthreads() if other warps"
    check "one line that is no update" \
        no_update "$dir/lanes.txt"
    kernel 's[t % 8]++;'
    check "an update" advises "$dir/line.cu" "use an atomic operation, or give"
fi

# The report that the book shows.
if [ $# -eq 0 ]; then
    "$BIN/simtcc" -o "$dir/shift" tests/wrong/simt/shift-in-place.cu &&
        "$dir/shift" > "$dir/shift.txt" 2>&1
    check "figures/data/sanitizer-shift.txt is what is reported" \
        diff figures/data/sanitizer-shift.txt "$dir/shift.txt"
fi
finish
