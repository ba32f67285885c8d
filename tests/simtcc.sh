#!/bin/bash
# simtcc: readers' own CUDA programs, compiled and run on the software GPU.
. tests/lib/run.sh
simtcc=$BIN/simtcc
# each compiler once: clang is one of the others
clangs=$(for v in -14 -15 -16 -17 -18 -19 ''; do
    command -v "clang$v" > /dev/null &&
        echo "$(readlink -f "$(command -v "clang$v")") clang$v"; done |
    awk '!seen[$1]++ { print $2 }')

# ---- the command line ------------------------------------------------------
check "--help" "$simtcc" --help
ends_well() {       # a leak is said; the status is the program's own
    printf '%s\n' 'int main() { int *p; cudaMalloc(&p, 4); return 3; }' \
        > "$dir/leak.cu"
    "$simtcc" "$dir/leak.cu" -o "$dir/leak" || return
    "$dir/leak" 2> "$dir/leak.txt"
    [ $? = 3 ] && grep -q '1 leak' "$dir/leak.txt" || return
    SIMT_CHECK=strict "$dir/leak" 2> /dev/null
    [ $? = 86 ]
}
check "a leak is a note, unless SIMT_CHECK=strict" ends_well
refuses "no file" 2 'no input file' "$simtcc"
refuses "a file that is not there" 2 'nowhere.cu: no such file' \
    "$simtcc" nowhere.cu
refuses "an unknown option" 2 'unknown option --fast' "$simtcc" --fast x.cu
refuses "fast mathematics" 2 'would change results' \
    "$simtcc" -use_fast_math x.cu
refuses "fast mathematics by another name" 2 'would change results' \
    "$simtcc" -Ofast x.cu
refuses "no clang" 1 "no compiler 'clang-none'.*apt install clang" \
    env CLANG=clang-none "$simtcc" tests/data/simt/vector_add.cu
printf '%s\n' '#!/bin/sh' 'echo "  Registered Targets:"; echo "    x86-64"' \
    '[ "$1" = --print-targets ]' > "$dir/apple-clang"
chmod +x "$dir/apple-clang"
refuses "a clang without NVPTX" 1 'no NVPTX back end' \
    env CLANG="$dir/apple-clang" "$simtcc" tests/data/simt/vector_add.cu

as_nvcc() {         # a makefile's steps, with nvcc's name and its options
    local nvcc=$BIN/../as-nvcc/nvcc
    printf '%s\n' '#include <cstdio>' '__global__ void k() { printf("a kernel\n"); }' \
        'int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() || D != 3; }' > "$dir/named.cc"
    "$nvcc" --version | grep -q 'release 1[0-9]' &&
    "$nvcc" -x cu -std c++17 -gencode arch=compute_80,code=sm_80 -Xptxas -v -G -rdc=true \
        -Xcompiler -Wall,-O3,-fPIC -DD=3 -dc "$dir/named.cc" -o "$dir/named.o" &&
    "$nvcc" -dlink "$dir/named.o" -o "$dir/joined.o" &&
    "$nvcc" "$dir/named.o" "$dir/joined.o" -lcudadevrt -lcublas -Xlinker -s -o "$dir/named" &&
    [ "$("$dir/named")" = "a kernel" ]
}
check "nvcc's name and options" as_nvcc
refuses "a library that is not there" 1 'cufft: the software GPU does not have' \
    "$simtcc" tests/data/simt/vector_add.cu -lcufft
refuses "an option of LLVM without its value" 2 '-mllvm needs a value' \
    "$simtcc" -mllvm
unrolled() {        # the array of a loop is in registers only if it is unrolled
    printf '%s\n' '__global__ void k(float *p) { float a[80];' \
        'for (int i = 0; i < 80; i++) a[i] = p[i * i];' \
        'for (int i = 0; i < 80; i++) p[i] = a[79 - i]; }' > "$dir/loop.cu"
    "$simtcc" "$@" --ptx "$dir/loop.cu" -o "$dir/loop.ptx" &&
        ! grep -q '^[^/]*\.local' "$dir/loop.ptx"
}
check "an option of LLVM" unrolled -mllvm -unroll-threshold=2000
check "which does something" sh -c "! '$simtcc' --ptx '$dir/loop.cu' -o '$dir/loop.ptx' ||
    grep -q '^[^/]*\.local' '$dir/loop.ptx'"

# ---- what is refused: name, reason, line -----------------------------------
# refused NAME LINE-OF-THE-BODY PATTERN [HEADER]: the compiler must name line 3
refused() {
    printf '%s\n' '#include <cuda_runtime.h>' "${4:+#include <$4>}" "$2" \
        > "$dir/bad.cu"
    refuses "refused: $1" 1 "bad.cu:3:.*$3" "$simtcc" -c "$dir/bad.cu" \
        -o "$dir/bad.o"
}
refused "another process" 'void f(){ cudaIpcGetMemHandle(0, 0); }' \
    'simtcc: the software GPU belongs to one process'
refused "atomicMax of floats" \
    '__global__ void k(float *p){ atomicMax(p, 1.0f); }' \
    'simtcc: there is no atomicMax of floats'
refused "an unknown call" 'void f(){ cudaMakeCoffee(); }' \
    "undeclared identifier 'cudaMakeCoffee'"
refused "the driver interface" 'void f(){ cuInit(0); }' \
    'simtcc: no driver interface: use cuda_runtime.h' cuda.h
refused "a type of the driver" 'CUdeviceptr p;' \
    'simtcc: no driver interface: use cuda_runtime.h' cuda.h
printf '%s\n' '#include <cooperative_groups.h>' \
    'cooperative_groups::thread_block_tile<64> t;' > "$dir/bad.cu"
refuses "refused: a tile that is larger than a warp" 1 \
    'simtcc: a tile has 1, 2, 4' "$simtcc" -c "$dir/bad.cu" -o "$dir/bad.o"
for h in cuda cublas_v2 device_launch_parameters; do
    printf '#include <%s.h>\nint main(){ return 0; }\n' $h > "$dir/good.cu"
    check "let through: <$h.h> of which nothing is used" \
        "$simtcc" -c "$dir/good.cu" -o "$dir/good.o"
done
printf '#include "cuda_runtime.h"\nfloat *p; int f(){ return cudaMalloc(&p, 4); }\n' \
    > "$dir/host.cpp"
check "a .cpp file has the host calls of cuda_runtime.h" \
    "$simtcc" -c "$dir/host.cpp" -o "$dir/host.o"
for h in nvrtc cufft cudnn torch/extension; do
    printf '#include <%s.h>\n' "$h" > "$dir/bad.cu"
    refuses "refused: <$h.h>" 1 'bad.cu:1:(.|\n)*simtcc: no ' \
        sh -c "'$simtcc' -c '$dir/bad.cu' -o '$dir/bad.o' 2>&1 |
               tr '\n' ' ' >&2; exit 1"
done

printf '%s\n' '__global__ void k() {}' \
    '__global__ void p() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }' > "$dir/bad.cu"
refuses "refused: to wait for a child" 1 'bad.cu:2:.*simtcc: since CUDA 12 a kernel cannot' \
    "$simtcc" -c "$dir/bad.cu" -o "$dir/bad.o"
refuses "refused: a child in C++14" 1 'bad.cu:2:.*needs -std=c..17' \
    "$simtcc" -std=c++14 -c "$dir/bad.cu" -o "$dir/bad.o"

# ---- programs: what they print, and their status ---------------------------
# runs NAME STATUS EXPECTED FILE...: compiled (by clang of $c), it prints that
data=tests/data/simt built=
runs() {
    local text=$1 want=$2 expected=$3 got
    shift 3
    if [ "$built" != "${CLANG:-} $*" ] && ! why=$("$simtcc" $linker \
            -Wall -Wextra "$@" -o "$dir/run" 2>&1); then
        not_ok "$text" "$why"
        return
    fi
    built="${CLANG:-} $*"
    (cd "$dir" && ./run $arguments) > "$dir/stdout" 2> "$dir/stderr"
    got=$?
    if [ $got -ne "$want" ]; then
        not_ok "$text" "status $got, expected $want: $(cat "$dir/stderr")"
    elif [ "$(cat "$dir/stdout")" != "$expected" ]; then
        not_ok "$text" "printed: $(cat "$dir/stdout" "$dir/stderr")"
    else
        ok "$text"
    fi
}
arguments=
runs "vector add" 0 "0 of 1000 wrong, no error" $data/vector_add.cu
for arguments in 1 33 257 100000; do
    runs "vector add, $arguments elements" 0 \
        "0 of $arguments wrong, no error" $data/vector_add.cu
done
arguments=
runs "reduction" 0 "-50000, exactly -50000: no error" $data/reduce.cu
runs "transpose through shared memory" 0 "0 wrong, no error" \
    $data/transpose.cu
runs "streams and events" 0 \
    "0 wrong, 2 calls, 2 launches, time passed, no error" $data/streams.cu
grep -q 'no GPU was timed' "$dir/stderr"
check "an elapsed time says what it is" test $? = 0
runs "three files, names used twice" 0 "0 wrong, no error" \
    $data/several_main.cu $data/several_other.cu $data/several_plain.c
check "an object of one file" "$simtcc" -c $data/several_other.cu \
    -o "$dir/other.o"
runs "and a program of it" 0 "0 wrong, no error" \
    "$dir/other.o" $data/several_main.cu $data/several_plain.c
runs "printf and assert in a kernel" 0 \
    "$(cat $data/printf.txt)" $data/printf.cu
grep -q "printf.cu:10: .*assertion 'i < limit' failed" "$dir/stderr"
check "assert names its line and what it claims" test $? = 0

# ---- mathematics and narrow formats in kernels -----------------------------
if "$simtcc" $data/numbers.cu -o "$dir/numbers" && "$dir/numbers" \
    > "$dir/stdout" 2>&1; then
    while read -r name units _; do
        case $units in [0-9]*) ok "$name: $units units past rounding" ;; esac
    done < "$dir/stdout"
else
    not_ok "functions in a kernel" "$(cat "$dir/stdout")"
fi
runs "half and bfloat16, kernel against host" 0 "0 wrong, no error" \
    $data/narrow.cu

# ---- errors: CUDA's codes, our sentences ------------------------------------
# The sanitizer would end these with a status of its own.
export SIMT_CHECK=off
runs "mistakes that a program survives" 0 "$(cat $data/errors.txt)" \
    $data/errors.cu
"$simtcc" $data/errors.cu -o "$dir/errors"
for arguments in null host far misaligned trap; do
    runs "a kernel that does not come back: $arguments" 0 \
        "$(cat $data/errors_$arguments.txt)" $data/errors.cu
done
arguments=
says() {            # text, pattern, argument of the program
    "$dir/errors" ${3:+"$3"} > /dev/null 2> "$dir/stderr"
    grep -Eq "$2" "$dir/stderr"
    check "$1" test $? = 0
}
says "an empty grid is explained" 'grid of \(0, 1, 1\).*do not launch' ''
says "2048 threads are explained" 'has 2048 threads: at most 1024' ''
says "300000 bytes are explained" \
    'a block of the NVIDIA H200 has at most 232448' ''
says "a double free is explained" 'was freed before, or never' ''
says "an exchanged copy is explained" 'exchange the arguments' ''
says "a host pointer in a kernel has its line" \
    'errors.cu:25: .*where the program has no memory' host
says "a null pointer in a kernel has its line" \
    'errors.cu:25: .*address 0x0' null

runs "launches in arguments of launches" 0 \
    "16: cudaSuccess, 16
17: cudaErrorIllegalState, 32" $data/nested.cu
grep -q "more than 16 deep" "$dir/stderr"
check "one launch too many is explained" test $? = 0

unset SIMT_CHECK

# ---- the report --------------------------------------------------------------
# Counts of instructions differ between clangs: the golden files are of 14.
report() {          # name, form
    (cd $data &&
     CLANG=clang-14 "../../../$simtcc" "$1.cu" -o "$dir/program" &&
     SIMT_REPORT=$2 SIMT_REPORT_FILE="$dir/report" "$dir/program") \
        > "$dir/stdout" 2> "$dir/stderr"
    if diff "$data/$1.$2" "$dir/report" > "$dir/diff"; then
        ok "report of $1: $2"
    else
        not_ok "report of $1: $2" "$(cat "$dir/diff" "$dir/stderr")"
    fi
}
if command -v clang-14 > /dev/null; then
    report transpose table
    report transpose lines
    report reduce csv
    check "the table has 80 columns" awk 'length > 80 { exit 1 }' \
        $data/transpose.table
else
    skip "golden reports" "clang-14 is not installed"
fi
"$simtcc" $data/vector_add.cu -o "$dir/program"
check "a report on standard error" sh -c \
    "SIMT_REPORT=table '$dir/program' 2>&1 >/dev/null | grep -q vector_add"
check "no report unless asked" sh -c "! '$dir/program' 2>&1 | grep -q req"
refuses "an unknown form of report" 2 'SIMT_REPORT=xml.*table, lines, csv' \
    env SIMT_REPORT=xml "$dir/program"
refuses "an unknown card" 2 'SIMT_GPU=rtx.*h200, h100, a100, 4090' \
    env SIMT_GPU=rtx "$dir/program"
refuses "a report that cannot be written" 1 'SIMT_REPORT_FILE=/nowhere/x' \
    env SIMT_REPORT=csv SIMT_REPORT_FILE=/nowhere/x "$dir/program"
SIMT_REGISTERS=vector_add=255 SIMT_GPU=a100 SIMT_REPORT=table \
    "$dir/program" 2> "$dir/stderr" > /dev/null
check "registers and card are stated" \
    grep -q ' 8 of 64 registers$' "$dir/stderr"
check "and the bound is that card's" grep -q ' a100 ' "$dir/stderr"

# ---- the compiler changes no count of memory ---------------------------------
# Requests, sectors, wavefronts, conflicts: equal from every clang, at -O1 and
# -O3.  Instructions and branches are the compiler's own.
memory_counts() {   # clang, level, program
    CLANG=$1 "$simtcc" $linker "$2" "$data/$3.cu" -o "$dir/program" &&
    SIMT_REPORT=csv SIMT_REPORT_FILE="$dir/report" "$dir/program" \
        > /dev/null &&
    grep -E ',[a-z_]*(_req|_sec|_wave|_conf|_bytes|_read|_written),' \
        "$dir/report"
}
for p in vector_add transpose reduce; do
    memory_counts clang -O2 $p > "$dir/reference"
    for c in $clangs; do
        for level in -O1 -O3; do
            memory_counts "$c" $level $p > "$dir/counts" 2> "$dir/stderr"
            if diff "$dir/reference" "$dir/counts" > "$dir/diff"; then
                ok "$p: $c $level counts the same"
            else
                not_ok "$p: $c $level counts the same" \
                    "$(cat "$dir/diff" "$dir/stderr")"
            fi
        done
    done
done
for v in 14 16 19; do
    command -v clang-$v > /dev/null ||
        skip "counts of clang $v" "clang-$v is not installed"
done

# ---- every clang takes every header -------------------------------------------
for c in $clangs; do
    export CLANG=$c
    runs "$c: functions of doubles" 0 "0 wrong, no error" $data/doubles.cu
    runs "$c: what published programs do" 0 "0 wrong" $data/foreign.cu
    runs "$c: everything" 0 "" -Werror $data/everything.cu
    runs "$c: malloc and new in kernels" 0 "0 wrong, no error" -Werror \
        $data/heap.cu
    runs "$c: functions through pointers" 0 "0 wrong, no error" -Werror \
        $data/pointers.cu
    runs "$c: cooperative groups" 0 "0 wrong, no error" -Werror $data/groups.cu
    runs "$c: reduction" 0 "-50000, exactly -50000: no error" \
        $data/reduce.cu
done
unset CLANG

# ---- memory of malloc in a kernel is watched ---------------------------------
"$simtcc" -w $linker $data/heap.cu -o "$dir/heap"
heap() {            # text, number of the mistake, pattern
    refuses "$1" 86 "heap.cu:[0-9]*: $3" "$dir/heap" "$2"
}
heap "malloc: read before it is written" 0 \
    'uninitialised: thread .*'
heap "malloc: written behind its end" 1 'out of bounds: thread .*'
heap "malloc: used after free" 3 'use after free: thread .*'
for k in 2 4; do
    "$dir/heap" $k > "$dir/stdout" 2> "$dir/stderr"
    check "malloc: freed twice, or never given: $k" \
        grep -q 'frees 0x.*, which malloc did not give' "$dir/stderr"
done
# ---- variables that have no value in some lanes ------------------------------
# Each program prints "NAME ok" for each of its kernels and counts them at the
# end.  lanes SIMTCC CLANG LEVEL FILE KERNELS: all of them are right.
# C++14, whose headers are shorter: a quarter less to wait for.
numbered=$(echo "$clangs" | grep -e -)
lanes() {
    CLANG=$2 "$1" -std=c++14 -w $linker "$3" "$data/undefined_$4.cu" \
        -o "$dir/program" || return 1
    if ! "$dir/program" > "$dir/stdout" 2>&1 ||
        [ "$(tail -1 "$dir/stdout")" != "$5 of $5 right" ]
    then grep -v ' ok$' "$dir/stdout"; return 1; fi
}
for c in ${numbered:-clang}; do
    for level in -O0 -O1 -O2 -O3; do
        check "$c $level: broadcasts from one lane" \
            lanes "$simtcc" "$c" $level broadcast 17
        check "$c $level: arguments and results" \
            lanes "$simtcc" "$c" $level calls 20
        check "$c $level: votes, matches, aggregated atomics" \
            lanes "$simtcc" "$c" $level votes 15
        check "$c $level: branches, choices, loops" \
            lanes "$simtcc" "$c" $level branches 40
        # In local memory the value is right; that it is read is reported.
        export SIMT_CHECK=memory,race,sync,leak
        check "$c $level: in local memory" \
            lanes "$simtcc" "$c" $level local 6
        unset SIMT_CHECK
    done
done
refuses "an array that is not written is reported" 86 \
    'undefined_local.cu:[0-9]*: uninitialised:' "$dir/program" an_array

# Each of the four measures is needed: simtcc without it is wrong.
# without NAME SCRIPT FILE LEVEL PROGRAM KERNELS PATTERN
without() {
    local name=$1 file=$3 why
    mkdir -p "$dir/wrong"
    cp -R "$BIN/simtcc" "$BIN/../include" "$dir/wrong"
    mkdir -p "$dir/wrong/bin"
    mv "$dir/wrong/simtcc" "$dir/wrong/bin"
    ln -sfn "$(cd "$BIN/../lib" && pwd)" "$dir/wrong/lib"
    sed -i.right "$2" "$dir/wrong/$file"
    if cmp -s "$dir/wrong/$file" "$dir/wrong/$file.right"; then
        not_ok "$name is needed" "'$2' changes nothing"
    elif why=$(lanes "$dir/wrong/bin/simtcc" clang-14 "$4" "$5" "$6" 2>&1)
    then
        not_ok "$name is needed" "all is right without it"
    elif ! echo "$why" | grep -q "$7"; then
        not_ok "$name is needed" "expected /$7/, found: $why"
    else
        ok "$name is needed"
    fi
    rm -rf "$dir/wrong"
}
if command -v clang-14 > /dev/null; then
    without "an argument without a promise" \
        's/-Xclang $defined//' bin/simtcc -O2 broadcast 17 'an_int wrong'
    SIMT_CHECK=off without "an end without a value" \
        's/-fno-strict-return//' bin/simtcc -O2 local 6 \
        'return_missing wrong'
    without "a pattern at -O0" \
        's/-ftrivial-auto-var-init=pattern//' bin/simtcc -O0 broadcast 17 \
        'uninitialised'
    without "an active mask that is not merged" \
        's/\[\[clang::nomerge\]\]//' include/simt_device.h -O2 votes 15 \
        'active_both_sides wrong'
else
    skip "what keeps lanes apart is needed" "clang-14 is not installed"
fi
sed 's/-noundef-analysis/-nothing/g' "$simtcc" > "$dir/never"
refuses "a clang that always promises values" 1 \
    'cannot pass an argument that has no value in some lanes' \
    sh "$dir/never" -c $data/vector_add.cu -o "$dir/x.o"

runs "without optimisation" 0 "0 wrong, no error" -O0 $data/transpose.cu

# ---- headers that are kept compiled ------------------------------------------
# cached OPTION...: the PTX of two programs, which share headers, is that of
# headers read anew
mkdir "$dir/home"
cp -R "$BIN" "$BIN/../include" "$dir/home"
cached() {
    local f
    for f in vector_add transpose; do
        SIMTCC_CACHE=$dir/kept "$dir/home/bin/simtcc" "$@" --ptx "$data/$f.cu" \
            -o "$dir/cached.ptx" &&
        SIMTCC_CACHE="" "$dir/home/bin/simtcc" "$@" --ptx "$data/$f.cu" \
            -o "$dir/fresh.ptx" &&
        cmp "$dir/fresh.ptx" "$dir/cached.ptx" || return 1
    done
}
kept() { test "$(find "$dir/kept" -type f | wc -l)" = "$1"; }
for options in -O0 -O2 "-O3 -w" "-O2 -std=c++14" "-O2 -ffp-contract=off"; do
    # shellcheck disable=SC2086
    check "kept headers change nothing: $options" cached $options
done
check "levels and warnings share them, options of the language do not" kept 4
echo 'enum { AHEAD };' >> "$dir/home/include/simt_numbers.h"
printf '#include <stdio.h>\nint main() { return AHEAD; }\n' > "$dir/ahead.cu"
check "a header that has changed is read again" env SIMTCC_CACHE="$dir/kept" \
    "$dir/home/bin/simtcc" --ptx "$dir/ahead.cu" -o "$dir/x.ptx"

"$simtcc" --ptx $data/vector_add.cu -o "$dir/add.ptx"
check "--ptx writes PTX with source lines" grep -q '\.loc' "$dir/add.ptx"
check "--verbose shows the passes" sh -c \
    "'$simtcc' --verbose -c $data/vector_add.cu -o '$dir/x.o' 2>&1 |
     grep -q cuda-device-only"

finish
