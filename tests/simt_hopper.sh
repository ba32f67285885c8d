#!/bin/bash
# Kernels with Hopper's barriers, bulk copies, tensor maps and clusters on the
# software GPU: each compares its results, and the sanitizer must be silent;
# without it the results are the same.  With names: only those.
. tests/lib/run.sh
if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "Hopper's instructions" "no clang: apt install clang"
    finish
fi

for word in "${@:-*}"; do
    for source in tests/data/simt/hopper_$word.cu; do
        name=$(basename "$source" .cu)
        program=$dir/$name
        if ! why=$("$BIN/simtcc" $linker -o "$program" "$source" 2>&1); then
            not_ok "$source is compiled" "$why"
            continue
        fi
        for check in on off; do
            SIMT_CHECK=$check timeout 60 "$program" > "$program.$check" 2>&1
            echo "status $?" >> "$program.$check"
        done
        why=$(cat "$program.on")
        while read -r line; do
            case $line in
            *": 0 wrong, no error") ok "$name: $line" ;;
            "status 0") ;;
            *) not_ok "$name" "$why"; break ;;
            esac
        done <<< "$why"
        check "$name: the same without checks" \
            cmp "$program.on" "$program.off"
    done
done
[ $# -eq 0 ] || finish

# What an H200 ends with an illegal instruction: cases that the programs run
# only when they are named.
for row in "tensor|22|a first coordinate that is no multiple of 16 bytes|no multiple of 16" \
           "tensor|23|a store before the tensor|a store begins before" \
           "bulk|alone|a sum into shared memory without clusters|needs a launch with clusters"; do
    IFS='|' read -r program number what words <<< "$row"
    said=$("$dir/hopper_$program" "$number" 2>&1)
    case $said in
    *"$words"*cudaErrorIllegalInstruction*) ok "hopper_$program refuses $what" ;;
    *) not_ok "hopper_$program refuses $what" "$said" ;;
    esac
done

# Every type of a map with every reduction, against what an H100 did.
for type in {0..12}; do
    for op in {0..7}; do
        "$dir/hopper_types" "$type" "$op" 2> /dev/null
    done
done | grep -v '^the \|^no error' | sort > "$dir/reductions"
check "reductions are those of the GPU, with its results" \
    diff <(grep -v '^#' tests/data/hopper-reductions.txt | sort) "$dir/reductions"

# The book's own kernels for Hopper, in small sizes, against float64.  Not asked
# for is what was never written: the backward kernels multiply tiles that are
# behind the last key and drop the result, and clang keeps sums of wgmma in
# local memory, from where the first one reads them with nothing in them.
for program in attention matmul; do
    SIMT_CHECK=memory,race,sync,leak timeout 120 \
        "${BIN%/bin}/tests-simt/gpu_$program" hopper > "$dir/$program" 2>&1
    status=$?
    rows=$(grep -cE '^(\[       OK|ok )' "$dir/$program")
    if [ $status -eq 0 ] && [ "$rows" -gt 0 ]; then
        ok "the $program of the book for Hopper: $rows rows"
    else
        not_ok "the $program of the book for Hopper" \
            "status $status: $(grep -v 'RUN\|OK\|^ok' "$dir/$program")"
    fi
done

# Two mistakes that an H200 hides, one from every row and one from all but the
# largest: bytes that a thread has written go to TMA, or to wgmma, without a
# fence.  The sanitizer must say so.
b=${BIN%/bin}
for mistake in "fwd|asks for a copy" "bwd|multiplies what"; do
    kernel=cuda_bf16_hopper_${mistake%%|*}
    source=code/ops/attention/$kernel.cu
    awk '/^    fence_proxy_async\(\);/ && !gone { gone = 1; next } { print }' \
        "$source" > "$dir/$kernel.cu"
    mapfile -t objects < <(find "$b/simt/code/backend" "$b/simt/code/ops" \
                               -name '*.o' ! -name "$kernel.o")
    if ! why=$({ ! cmp -s "$source" "$dir/$kernel.cu" &&
            "$BIN/simtcc" -ffp-contract=off -mllvm -unroll-threshold=5000 -w \
                -Icode -c "$dir/$kernel.cu" -o "$dir/$kernel.o" &&
            "${CC:-cc}" -fopenmp "$b/opt/tests/gpu_attention.o" "$dir/$kernel.o" \
                "${objects[@]}" "$b/libmb-host.a" \
                "$b/lib/libsimt.a" -lcmocka -lm -lstdc++ -o "$dir/no_fence"
            } 2>&1); then
        not_ok "$kernel without its fence is built" "$why"
        continue
    fi
    said=$(SIMT_CHECK=race timeout 120 "$dir/no_fence" hopper 2>&1)
    case $said in
    *": missing proxy fence:"*"${mistake#*|}"*)
        ok "$kernel without its first fence is reported" ;;
    *) not_ok "$kernel without its first fence is reported" \
           "$(grep -v 'RUN\|OK\|^ok' <<< "$said" | head -20)" ;;
    esac
done
finish
