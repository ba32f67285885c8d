#!/bin/bash
# Run simt-budget once for each line of $BUDGETS; fail if one of them fails.
# A word with blanks stands in quotes; nothing else of a shell is obeyed.
set -u
bin=${RUNNER_TEMP:?}/moving-bytes/bin
failed=0
while IFS= read -r line; do
    [ -n "${line//[[:space:]]/}" ] || continue
    echo "simt-budget $line"
    printf '%s\n' "$line" | xargs "$bin/simt-budget" || failed=1
done <<< "$BUDGETS"
exit $failed
