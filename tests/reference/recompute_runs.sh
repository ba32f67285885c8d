#!/bin/sh
# What the modes of --recompute cost and take on a GPU: rows for
# figures/data/recomputation.csv.
#   tests/reference/recompute_runs.sh [--only MODEL] MACHINE >> build/bench/recomputation.csv
# GPT-2 124M with 64 sequences in each mode; the 1.6B model with nearly the
# largest batch that fits 141 GB in each mode; 128 sequences where blocks are
# made again.  For each: GB that the plan promises, GB that nvidia-smi says
# the GPU holds more than before (with CUDA's context), the time of a step
# and tokens a second.  A run that fails is said on standard error and left
# out.
set -e
only=
if [ "$1" = --only ]; then only=$2; shift 2; fi
machine=$1
bin=${BIN:-build/bin}
dir=$(mktemp -d)
watch=
trap 'test -z "$watch" || kill "$watch" 2> /dev/null; rm -rf "$dir"' EXIT
used() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits |
         sed -n 1p; }

row() {             # name, value, unit, command
    printf 'recompute.run.%s,%s,%s,"%s","%s",%s,%s\n' "$1" "$2" "$3" \
        "$machine" "$4" "${COMMIT:-$(git rev-parse --short HEAD)}" \
        "$(date +%F)"
}

while read -r model batch mode name; do
    [ -z "$only" ] || [ "$only" = "$model" ] || continue
    size="--model $model --batch $batch --seq 1024 --precision bf16 --recompute $mode"
    # shellcheck disable=SC2086
    "$bin/train-cuda" --plan $size > "$dir/plan"
    before=$(used)
    : > "$dir/used"
    while :; do used; sleep 0.2; done >> "$dir/used" &
    watch=$!
    rm -f "$dir/rows"
    # shellcheck disable=SC2086
    "$bin/bench-step-cuda" $size --steps 7 --parts 0 --out "$dir/rows" \
        > "$dir/out" 2>&1 ||
        { echo "$model $batch $mode: $(tail -1 "$dir/out")" >&2
          rm -f "$dir/rows"; }
    kill "$watch"; wait "$watch" 2> /dev/null || true
    watch=
    [ -f "$dir/rows" ] || continue
    command="bench-step-cuda $size"
    row "$model.$name.batch" "$batch" "" "$command"
    row "$model.$name.planned" "$(awk '$1 == "total" {
        printf "%.4g", $2 / 1e3 }' "$dir/plan")" GB "train-cuda --plan $size"
    row "$model.$name.taken" "$(awk -v before="$before" '
        $1 > most { most = $1 }
        END { printf "%.4g", (most - before) * 1048576 / 1e9 }' \
        "$dir/used")" GB "$command"
    for key in time rate; do
        awk -F, -v key="$key" '
            $1 ~ "[.]" key "$" { print $2, $3 }' "$dir/rows" |
        while read -r value unit; do
            row "$model.$name.$key" "$value" "$unit" "$command"
        done
    done
done <<END
gpt2 64 none none
gpt2 64 gelu gelu
gpt2 64 gelu+layernorm norm
gpt2 64 block block
gpt2-xl 44 none none
gpt2-xl 59 gelu gelu
gpt2-xl 70 gelu+layernorm norm
gpt2-xl 128 block block
END
