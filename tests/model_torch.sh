#!/bin/sh
# The model against a second GPT-2, written in plain PyTorch, of other
# sizes: heads of 4 channels, 3 layers, rows shorter than the context.
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import torch, numpy' 2> /dev/null; then
    echo "ok 1 - PyTorch's model # SKIP no PyTorch: apt install python3-torch"
    echo "1..1"
    exit 0
fi
dir=build/model-torch
export GPT2_FIXTURE="$dir" CMOCKA_MESSAGE_OUTPUT=TAP
rm -rf "$dir"
"$python" tests/model_torch.py "$dir" || exit 1
n=0
for t in tests-f64/f64_model tests-opt/test_model; do
    n=$((n + 1))
    if "build/$t" > "$dir/log" 2>&1 && ! grep -q '# SKIP' "$dir/log"; then
        echo "ok $n - $t agrees with PyTorch on V=67 C=20 NH=5 L=3 T=11"
    else
        echo "not ok $n - $t disagrees with PyTorch"
        grep -A3 '^not ok\|SKIP' "$dir/log"
    fi
done
echo "1..$n"
