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
finish
