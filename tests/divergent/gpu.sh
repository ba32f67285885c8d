#!/usr/bin/env bash
# tests/divergent/gpu.sh FILE [FIRST COUNT]: what a GPU makes of the kernels of
# tests/divergent/generate.c, one "seed hash" a line, into FILE; a summary on
# standard output.  Needs a GPU, nvcc, a C compiler, and no network.
#
# NVCC, SM (90), JOBS (compilers at once), AT_ONCE (programs at once on the
# GPU) and LIMIT (seconds for a program) may be set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
file=${1:?usage: gpu.sh FILE [FIRST COUNT]}
first=${2:-1} count=${3:-2400} per_file=60
nvcc=${NVCC:-nvcc} jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
export nvcc sm=${SM:-90} limit=${LIMIT:-8}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
start=$SECONDS
say() { echo "$((SECONDS - start)) s: $*"; }

# Two files of three at -O3, one at -O1.
compile() {         # path without .cu
    local level="-O3"
    [ $((${1##*/p} / 60 % 3)) -ne 2 ] || level="-O1 -Xptxas -O1"
    # shellcheck disable=SC2086
    "$nvcc" $level -w -std=c++17 -fmad=false -arch="sm_$sm" "$1.cu" -o "$1" \
        > "$1.log" 2>&1 || echo "not compiled: $(head -1 "$1.log")" > "$1.why"
}

# The seeds of a program; after one that stops it, those that follow it, with
# half the time.
run() {             # path of the program, seeds...
    local p=$1 stops=0 status limit=$limit
    shift
    [ -x "$p" ] || return
    while [ $# -gt 0 ]; do
        timeout -k 2 "$limit" "$p" "$@" > "$p.part" 2> "$p.err"
        status=$?
        cat "$p.part" >> "$p.got"
        shift "$(wc -l < "$p.part")"
        [ $# -gt 0 ] || return
        echo "seed $1: status $status $(head -1 "$p.err")" >> "$p.why"
        shift
        stops=$((stops + 1)) limit=$(((limit + 1) / 2))
        [ $limit -ge 4 ] || limit=4
        if [ $stops -eq 6 ] && [ $# -gt 0 ]; then
            echo "$# seeds from $1 on were not run" >> "$p.why"
            return
        fi
    done
}
export -f compile run

"${CC:-cc}" -std=c17 -O2 "$here/generate.c" -o "$dir/generate" || exit 1
last=$((first + count - 1))
for f in $(seq "$first" $per_file "$last"); do
    n=$((last - f + 1 < per_file ? last - f + 1 : per_file))
    echo "$f $n"
done > "$dir/files"
xargs -P "$jobs" -n 2 sh -c \
    '"$0/generate" "$1" "$2" > "$0/p$1.cu"
     "$0/generate" --expect "$1" "$2" > "$0/p$1.expect"' "$dir" < "$dir/files"
say "generated $count kernels in $(wc -l < "$dir/files") files"
cut -d' ' -f1 "$dir/files" | sed "s,^,$dir/p," |
    xargs -P "$jobs" -n 1 bash -c 'compile "$0"'
say "compiled"
while read -r f n; do
    echo "$dir/p$f $(seq -s ' ' "$f" $((f + n - 1)))"
done < "$dir/files" |
    xargs -P "${AT_ONCE:-8}" -L 1 bash -c 'run "$@"' run
say "ran"

cat "$dir"/p*.got 2> /dev/null | sort -n > "$dir/got"
cat "$dir"/p*.expect | sort -n > "$dir/expect"
{   echo "# Results of tests/divergent/generate.c on a GPU: seed, hash."
    echo "# GPU: $(nvidia-smi --query-gpu=name,driver_version \
        --format=csv,noheader 2> /dev/null | sed -n 1p)"
    echo "# nvcc: $("$nvcc" --version | sed -n 's/.*, V//p')," \
        "-O3 and -O1, sm_$sm"
    echo "# commit: $(git -C "$here" rev-parse --short HEAD 2> /dev/null)"
    echo "# date: $(date +%F)"
    cat "$dir/got"
} > "$file"

echo "$(wc -l < "$dir/got") of $count kernels ran"
cat "$dir"/p*.why 2> /dev/null
awk 'NR == FNR { want[$1] = $2; next }
     want[$1] != $2 { n++; if (n <= 200) differ = differ " " $1 }
     END { print n + 0, "differ from the interpreter" (n ? ":" differ : "") }' \
    "$dir/expect" "$dir/got"

# What do the kernels have in common that stopped a program, or differ?
{   cat "$dir"/p*.why 2> /dev/null | sed -n 's/^seed \([0-9]*\):.*/\1/p'
    awk 'NR == FNR { want[$1] = $2; next }
         want[$1] != $2 { print $1 }' "$dir/expect" "$dir/got"
} > "$dir/bad"
[ -s "$dir/bad" ] && {
    echo "of the kernels with this feature, so many stopped or differ:"
    "$dir/generate" --features "$first" "$count" | while read -r feature n; do
        "$dir/generate" --seeds "$feature" "$first" "$count" |
            awk -v f="$feature" -v n="$n" '
                NR == FNR { bad[$1] = 1; next }
                $1 in bad { m++ }
                END { if (m) printf "%5.1f %%  %-24s %d of %d\n",
                                    100 * m / n, f, m, n }' "$dir/bad" -
    done | sort -rn | head -20
}
say "done"
