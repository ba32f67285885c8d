#!/bin/sh
# Where a training step of GPT-2 124M goes on this CPU: rows for
# figures/data/step.csv.  Samples bench-cpu with perf, leaves out what
# happens before the steps, and groups the functions.
#   tests/reference/profile_step.sh MACHINE >> figures/data/step.csv
set -e
data=${TMPDIR:-/tmp}/profile_step.$$
trap 'rm -f "$data" "$data.txt"' EXIT
perf record -q -e cpu-clock -F 1000 -o "$data" \
    build/bin/bench-cpu --only step --runs 31 > "$data.txt"
ms=$(awk '$1 == "all" { print $2 }' "$data.txt")
perf report -i "$data" --stdio --no-children --sort dso,symbol -F sample,dso,symbol |
awk -v ms="$ms" -v machine="$1" -v commit="$(git rev-parse --short HEAD)" \
    -v date="$(date +%F)" '
    function row(name, value, unit) {
        printf "profile.%s,%.4g,%s,\"%s\",\"%s\",%s,%s\n", name, value,
            unit, machine, "tests/reference/profile_step.sh", commit, date
    }
    $1 !~ /^[0-9]+$/ { next }
    { n = $1; f = $4; program = $2 == "bench-cpu" }
    program && f ~ /_tile$/                         { s["tile"] += n; next }
    program && f ~ /_pack$|^run\._omp/                         { s["pack"] += n; next }
    program && f ~ /^(update|sum)_piece/            { s["adamw"] += n; next }
    program && f ~ /^(product|dot|scores|gather|scatter|row_softmax|softmax_lanes|attention)/ {
        s["attention"] += n; next }
    program && f ~ /^(rng|draw|model_init|avx512|avx2|cpu_)/ { next }
    program || f ~ /^__memmove/                     { s["others"] += n; next }
    $2 ~ /libgomp/ || f ~ /futex|schedule|finish_task/ { s["waiting"] += n }
    END {
        split("tile pack adamw attention others waiting", name, " ")
        for (i = 1; i <= 6; i++) all += s[name[i]]
        for (i = 1; i <= 6; i++) {
            row(name[i] ".share", 100 * s[name[i]] / all, "%")
            row(name[i] ".ms", ms * s[name[i]] / all, "ms")
        }
        products = s["tile"] + s["pack"]
        operators = s["attention"] + s["others"]
        row("operators.to.products", 100 * operators / products, "%")
        row("attention.to.operators", 100 * s["attention"] / operators, "%")
    }'
