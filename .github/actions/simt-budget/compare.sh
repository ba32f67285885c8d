#!/bin/bash
# Run simt-budget once for each line of $BUDGETS; fail if one of them fails.
set -u
bin=${RUNNER_TEMP:?}/moving-bytes/bin
failed=0
while read -r -a words; do
    [ ${#words[@]} -gt 0 ] || continue
    echo "simt-budget ${words[*]}"
    "$bin/simt-budget" "${words[@]}" || failed=1
done <<< "$BUDGETS"
exit $failed
