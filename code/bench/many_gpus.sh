#!/bin/sh
# Tangled from chapters/workshop/timing-a-step.nw, "The tables of several GPUs".  Edit it there.

# Steps, collectives and copies of up to N GPUs of this host: rows of
# many-gpus.csv, collectives.csv and peer-copies.csv in OUT, and a table.
#
#     many_gpus.sh BIN N OUT [MACHINE]
#
# RUNS: a file with a list of runs that takes the place of the list below.
set -eu
bin=$1 most=$2 steps=$3/many-gpus.csv
collectives=$3/collectives.csv peers=$3/peer-copies.csv
machine=${4:-"$most $(nvidia-smi --query-gpu=name --format=csv,noheader \
    2> /dev/null | head -n 1)"}

# many_gpus.sh: list the runs
counts() {          # 2, 4, ... below N, then N
    n=2
    while [ "$n" -lt "$most" ]; do echo "$n"; n=$((n * 2)); done
    echo "$most"
}
list() {
    echo "gpt2 64 25 --gpus 1"
    for n in $(counts); do echo "gpt2 64 25 --gpus $n"; done
    for n in $(counts); do echo "gpt2 $((64 / n)) 25 --gpus $n"; done
    for v in --apart --no-overlap "--zero 1" "--sum-order fixed"; do
        echo "gpt2 64 25 --gpus $most $v"
    done
    for m in "medium 24 15" "large 12 11" "xl 0 5"; do
        echo "gpt2-$m --gpus 1"
        echo "gpt2-$m --gpus $most --zero 1"
    done
    echo "gpt2-medium 24 15 --gpus $most --apart"
}

# many_gpus.sh: time the runs
# Two GPUs' link, and the collectives.
links() {
    "$bin/peer-copies-cuda" --machine "$machine" --out "$peers" || bad=1
    for n in $(counts); do
        "$bin/bench-collectives-cuda" --gpus "$n" --most 256 || bad=1
    done > "$collectives"
}
step_rows() {       # model, batch, steps, options...
    model=$1 batch=$2 count=$3
    shift 3
    echo
    echo "$model, $batch sequences a GPU, $*"
    "$bin/bench-step-cuda" --model "$model" --batch "$batch" \
        --seq 1024 --precision bf16 --steps "$count" --parts 0 \
        --machine "$machine" --out "$steps" "$@" < /dev/null
}
all_steps() {
    failed=0
    while read -r line; do
        # shellcheck disable=SC2086
        step_rows $line || { echo "failed: $line"; failed=1; }
    done
    return "$failed"
}

# many_gpus.sh: print the table
table() {
    awk -F, '
    function model(name) { sub(/^step[.]/, "", name)
        return substr(name, 1, index(name, ".b") - 1) }
    function ranks(name) {
        return match(name, /[.]n[0-9]+/) ?
            substr(name, RSTART + 2, RLENGTH - 2) : 1 }
    $1 ~ /^step[.]/ {
        key = what = $1
        sub(/.*[.]/, "", what)
        sub(/[.](clock|power)[.][0-9]+$/, "", key) ||
            sub(/[.][a-z]+$/, "", key)
        if (!(key in seen)) { order[++n] = key; seen[key] = 1 }
        v[key, what] = $2
        if ($1 ~ /[.]clock[.]/ && (!mhz[key] || $2 < mhz[key]))
            mhz[key] = $2
        if ($1 ~ /[.]power[.]/ && $2 > watts[key]) watts[key] = $2
        if (what == "rate" && ranks(key) == 1) one[model(key)] = $2 }
    # many_gpus.sh: print a row
    END {
        printf "%-34s %9s %9s %7s %9s %8s %6s %6s\n", "step", "ms",
            "tok/s", "share", "exchange", "sent MB", "MHz", "W"
        for (i = 1; i <= n; i++) {
            k = order[i]; base = one[model(k)] * ranks(k)
            printf "%-34s %9.2f %9.0f %7s %9s %8s %6.0f %6.0f\n",
                substr(k, 6), v[k, "time"], v[k, "rate"],
                base ? sprintf("%.3f", v[k, "rate"] / base) : "-",
                v[k, "exchange"] ? v[k, "exchange"] : "-",
                v[k, "sent"] ? v[k, "sent"] : "-", mhz[k], watts[k]
        } }
    ' "$1"
}
mkdir -p "$3"
bad=0
links
if [ -n "${RUNS:-}" ]; then cat "$RUNS"; else list; fi | all_steps || bad=1
table "$steps"
exit "$bad"
