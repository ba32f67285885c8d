#!/bin/sh
# test_matmul for ARM's NEON, compiled by Debian's cross compiler and run by
# qemu, where both are there.
cc=${ARM_CC:-aarch64-linux-gnu-gcc}
qemu=${QEMU:-qemu-aarch64}
if ! command -v "$cc" > /dev/null || ! command -v "$qemu" > /dev/null; then
    echo "ok 1 - neon # SKIP apt install gcc-aarch64-linux-gnu" \
         "libc6-dev-arm64-cross qemu-user"
    echo "1..1"
    exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$cc" -std=c17 -D_GNU_SOURCE -DSMALL_CMOCKA -Icode -Itests -Wall -Wextra \
    -Werror -fopenmp -O2 -fno-math-errno -ffp-contract=fast -static \
    code/base/*.c code/backend/*.c code/ops/*.c code/ops/*/*.c \
    tests/test_matmul.c -o "$dir/test_matmul" -lm || exit 1
OMP_NUM_THREADS=2 "$qemu" "$dir/test_matmul" > "$dir/out"
status=$?
cat "$dir/out"
grep -q 'neon' "$dir/out" || { echo "not ok - no row says neon"; exit 1; }
exit $status
