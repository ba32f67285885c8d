#!/bin/bash
# What grade does on a machine with a GPU: times after correctness, or says
# what is missing.  The GPU is tests/lib/fake_driver.c, which runs kernels on
# this processor and has a clock of its own; on a real one tests/grade-gpu.sh
# grades all solutions.
. tests/lib/run.sh
grade=$BIN/grade start=code/course/start solution=code/course/solution
if ! [ -x "$grade" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "the grader with a GPU" "no $grade, or no clang"
    finish
fi
name=throughput-machine/add
mkdir -p "$dir/lib" "$dir/in/${name%/*}"
mine=$dir/in/$name.cu
export NVCC=$PWD/tests/lib/fake-nvcc
check "a driver is compiled" "${CC:-cc}" -shared -fPIC -O1 \
    tests/lib/fake_driver.c -o "$dir/lib/libcuda.so.1" -ldl

# graded FILE OPTION...: as the reader does it -> $status, $dir/said
graded() {
    cp "$1" "$mine"
    shift
    LD_LIBRARY_PATH=$dir/lib "$grade" --in "$dir/in" --seed 7 "$@" $name \
        > "$dir/said" 2>&1
    status=$?
}
said() {            # STATUS PATTERN...: it ended so, and said all this
    local pattern wrong=
    [ "$status" = "$1" ] || wrong="status $status, expected $1"
    shift
    for pattern; do
        grep -qE -e "$pattern" "$dir/said" || wrong="$wrong, no /$pattern/"
    done
    [ -z "$wrong" ] || { echo "$wrong:"; cat "$dir/said"; return 1; }
}
silent() { ! grep -E -e "$1" "$dir/said"; }

graded $solution/$name.cu
check "a right kernel is timed beside the book's and a copy" said 0 '★★★☆' \
    'Fake GPU 0, n = 16777216, ' \
    '^  yours  +500.0 us +500.0 - +500.0 +403 GB/s +50 %$' \
    "^  the book's  +500.0 us " \
    '^  a copy of 100.7 MB +250.0 us .* 805 GB/s +100 %$'
check "correctness comes before time" \
    awk '/right in 7 cases/ { right = NR } / us / { time = NR }
         END { exit !(right && time > right) }' "$dir/said"
graded $start/$name.cu --time
check "a wrong kernel is not timed" said 1 'only a kernel that is right'
check "nor is anything measured of it" silent ' us '

# Right for clang, and wrong on the GPU.
{ echo '#ifdef __clang__'; cat $solution/$name.cu
  echo '#else'
  sed 's/i < n/i < n - 1/' $solution/$name.cu
  echo '#endif'; } > "$dir/last.cu"
graded "$dir/last.cu"
check "an element that only the GPU's kernel leaves out is found" said 0 \
    'Fake GPU 0, n = 16777216: z\[16777215\] is -?nan, expected'
check "and then no time is printed" silent ' us '
{ cat $solution/$name.cu; printf '%s\n' '#ifndef __clang__' \
    '#include "/etc/hostname"' '#endif'; } > "$dir/reads.cu"
touch "$dir/in/empty.h"
sed -i "s,/etc/hostname,$dir/outside.h," "$dir/reads.cu"
touch "$dir/outside.h"
graded "$dir/reads.cu"
check "nvcc may not include files from elsewhere either" said 0 \
    'not timed: .* includes .*outside.h; an exercise may'
FAKE_GPU=fault graded $solution/$name.cu
check "a fault on the GPU is told" said 0 \
    'cannot run the kernel: illegal address \(700\)'

# ---- what is missing -------------------------------------------------------
FAKE_GPU=none graded $solution/$name.cu --time
check "no GPU: a line with --time" said 0 \
    "not timed: the GPU's driver cannot find a GPU: no device"
FAKE_GPU=none graded $solution/$name.cu
check "and nothing without" silent 'timed'
NVCC=/none/nvcc graded $solution/$name.cu --time
check "no nvcc: a line with --time" said 0 \
    "not timed: there is no '/none/nvcc' here"
name=reduction/sum mine=$dir/in/reduction/sum.cu
mkdir -p "${mine%/*}"
graded $solution/$name.cu --time
check "an exercise that no GPU is filled by: a line with --time" said 0 \
    'not timed: reduction/sum has no size to be timed with'
name=throughput-machine/add mine=$dir/in/$name.cu
rm "$dir/lib/libcuda.so.1"
if LD_LIBRARY_PATH='' ldconfig -p 2> /dev/null | grep -q libcuda.so.1; then
    skip "no driver" "there is one"
else
    graded $solution/$name.cu --time
    check "no driver: a line with --time" said 0 \
        'not timed: no driver of an NVIDIA GPU'
fi

# ---- no clang --------------------------------------------------------------
"${CC:-cc}" -shared -fPIC -O1 tests/lib/fake_driver.c \
    -o "$dir/lib/libcuda.so.1" -ldl
export CLANG=/none/clang
rm -f "$dir/in/progress.txt"
graded $solution/$name.cu
check "without clang the GPU says what is right" said 1 \
    'right in 8 cases on Fake GPU 0' 'no stars: .* needs clang' '^  yours .* us '
graded $start/$name.cu
check "and what is wrong" said 1 'n = [0-9]+: z\[' 'no stars'
check "no star is written" test ! -e "$dir/in/progress.txt"
NVCC=/none/nvcc graded $solution/$name.cu
check "without clang and nvcc, the compiler is what is missing" said 1 \
    'clang'
finish
