#!/bin/bash
# The program `formats`: what the chapter on low precision prints of it, and
# what it refuses.
. tests/lib/run.sh

for file in formats-tenth.txt formats-465.txt; do
    line=$(head -1 "figures/data/$file")
    line=${line#\$ }
    check "figures/data/$file is what the program prints" diff \
        <(tail -n +2 "figures/data/$file") \
        <(sh -c "${line//build\/bin/$BIN}" 2>&1 | sed 's/ *$//')
done
check "--saturate: no NaN where a number is too large" \
    test "$("$BIN/formats" --saturate -- -465 | grep -c -e '-448  ')" = 2
check "NaN is NaN where there is one, and the largest elsewhere" \
    test "$("$BIN/formats" nan | awk '$NF == "nan"' | wc -l)" = 7
check "infinity" test "$("$BIN/formats" -- -inf | grep -c -e '-inf$')" = 6
refuses "no number" 2 'which number' "$BIN/formats"
refuses "what is no number" 2 "'1e3x' is not a number" "$BIN/formats" 1e3x
refuses "an empty word" 2 "is not a number" "$BIN/formats" ""
finish
