#!/bin/sh
# Every .cu file compiles for the GPUs of GPUS: one line of TAP for each file.
# GPUS=all is every generation from Turing on; it takes five times as long as
# one, and is what .github/workflows asks for.  A file that compiled is not
# compiled again until it, a header or the compiler changes (build/nvcc holds
# the sums).
: "${NVCC:=nvcc}" "${B:=build}" "${GPUS:=90a}"
[ "$GPUS" != all ] || GPUS="75 80 86 89 90a 100 120"
gpus=$GPUS
# These have instructions that begin with Ampere.
case ${2-} in */count_kernels.cu | */main_ceilings.cu | */lessons/races.cu) gpus=${gpus#75 } ;; esac

if [ "${1-}" != one ]; then
    command -v "$NVCC" > /dev/null || {
        echo "ok 1 - nvcc: every .cu file # SKIP no '$NVCC' here"
        echo "1..1"
        exit 0
    }
    mkdir -p "$B/nvcc"
    NVCC_HEADS=$({ "$NVCC" --version; echo "$GPUS"
                   find code -name '*.h' -o -name '*.cuh' | sort |
                       xargs cat "$0"; } | cksum)
    export NVCC B NVCC_HEADS GPUS
    find code -name '*.cu' | sort | xargs -P 2 -n 1 "$0" one | sort |
        awk '{ n++; sub(/ok -/, "ok " n " -"); print
               if ($1 == "not") bad = 1 }
             END { print "1.." n + 0; exit bad }'
    exit
fi

file=$2
out=$B/nvcc/$(echo "${file#code/}" | tr / -)
sum=$(echo "$NVCC_HEADS" | cat - "$file" | cksum)
if [ "$(cat "$out.sum" 2> /dev/null)" = "$sum" ]; then
    echo "ok - nvcc: $file compiles for sm_${gpus}"
    exit
fi
codes=
for sm in $gpus; do
    codes="$codes -gencode=arch=compute_$sm,code=sm_$sm"
done
# shellcheck disable=SC2086
if nice "$NVCC" -fatbin $codes -O1 -std=c++17 -Icode "$file" \
        -o "$out" > "$out.log" 2>&1; then
    echo "$sum" > "$out.sum"
    echo "ok - nvcc: $file compiles for sm_${gpus}"
else
    echo "not ok - nvcc: $file: $(grep -m 3 -i error "$out.log" | tr '\n' ' ')"
fi
rm -f "$out"
