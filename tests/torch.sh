#!/bin/sh
# Our operators against Debian's PyTorch (python3-torch), where it is there.
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import torch' 2> /dev/null; then
    echo "ok 1 - torch # SKIP no PyTorch: apt install python3-torch"
    echo "1..1"
    exit 0
fi
dir=build/torch
mkdir -p "$dir"
# shellcheck disable=SC2086
${CC:-cc} -std=c17 -D_GNU_SOURCE -Icode -fopenmp -O3 -fno-math-errno \
    -fno-trapping-math -ffp-contract=fast -shared -fPIC \
    code/ops/*.c code/base/*.c -o "$dir/libops.so" -lm || exit 1
"$python" tests/check_torch.py "$PWD/$dir/libops.so"
