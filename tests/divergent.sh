#!/usr/bin/env bash
# Random divergent kernels (tests/divergent/generate.c) give on the software GPU
# the results that they gave on a GPU: tests/data/simt/divergent.txt, which
# tests/divergent/gpu.sh wrote.  The sanitizer watches, and has to be silent.
#
#   tests/divergent.sh             every fifth program of 50 seeds of that file
#   tests/divergent.sh SEED...     these only; their .cu and programs are kept
#
# SEEDS=all takes every seed, SEEDS=N those up to N; CLANG and JOBS are as
# elsewhere.  Five and the nine levels below have no common divisor.
. tests/lib/run.sh
data=tests/data/simt/divergent.txt
per_file=50
limit=${LIMIT:-30}          # seconds for a program

build_generator() {
    "${CC:-cc}" -std=c17 -O2 -Wall -Wextra -Werror \
        tests/divergent/generate.c -o "$1"
}

# Seeds are compiled at one level in each file; -O0 is the fastest by far.
level_of() {
    local levels=(0 0 2 0 0 3 0 0 1)
    echo "-O${levels[$((($1 - 1) / per_file % 9))]}"
}

compile() {         # level, FILE.cu, program: C++14 has the shorter headers
    "$BIN/simtcc" -w -std=c++14 $linker "$1" "$2" -o "$3"
}

# run_seeds PROGRAM SEEDS...: "seed hash" lines in PROGRAM.got.  A seed that
# stops the program is noted in PROGRAM.why; the seeds after it run
# again, until three have stopped it.
run_seeds() {
    local program=$1 stops=0 status ran
    shift
    while [ $# -gt 0 ]; do
        timeout -k 1 "$limit" "$program" "$@" > "$program.part" \
            2> "$program.err"
        status=$?
        cat "$program.part" >> "$program.got"
        if [ -s "$program.err" ] || { [ $status -ne 0 ] &&
                                      [ $status -ne 124 ]; }; then
            note_alarms "$program"
        fi
        ran=$(wc -l < "$program.part")
        shift "$ran"
        [ $# -gt 0 ] || return
        if [ $status -eq 124 ] || [ $status -eq 137 ]; then
            echo "seed $1 does not come back" >> "$program.why"
        else
            echo "seed $1 stops with status $status" >> "$program.why"
        fi
        shift
        stops=$((stops + 1))
        if [ $stops -eq 3 ]; then
            [ $# -eq 0 ] ||
                echo "$# seeds from $1 on were not run" >> "$program.why"
            return
        fi
    done
}

note_alarms() {     # program: one line for each kernel that is named
    tr -s ' \n' ' ' < "$1.err" |
        grep -oE ':[0-9]+: [a-z ]+: thread [^:]* in k[0-9]+' |
        sed 's/^:[0-9]*: \(.*\): thread.* in k\(.*\)/seed \2: \1, says the sanitizer/' |
        sort -u -k2,2n -k3 > "$1.alarms"
    [ -s "$1.alarms" ] || head -3 "$1.err" > "$1.alarms"
    cat "$1.alarms" >> "$1.why"
}

# one FIRST: the file of seeds that begins with FIRST; one line of TAP, and
# what is wrong on lines that begin with "#".
one() {
    local first=$1 level last listed plain others name
    level=$(level_of "$first")
    last=$((first + per_file - 1))
    name="seeds $first to $last, $level"
    program=$dir/p$first
    awk -v a="$first" -v b=$last '$1 >= a && $1 <= b' "$dir/wanted" \
        > "$program.wanted"
    : > "$program.got"; : > "$program.why"
    "$dir/generate" "$first" $per_file > "$program.cu"
    if ! compile "$level" "$program.cu" "$program" > "$program.log" 2>&1; then
        echo "not ok - $name"
        sed 's/^/#/' "$program.log" | head -5
        return
    fi
    # The first read of a loop around atomicCAS may be a plain one, as in the
    # programming guide; the sanitizer may call that a race.
    plain=" $("$dir/generate" --seeds cas-plain-read "$first" $per_file |
              tr '\n' ' ')"
    listed='' others=''
    while read -r seed _; do
        case $plain in
        *" $seed "*) others="$others $seed" ;;
        *)           listed="$listed $seed" ;;
        esac
    done < "$program.wanted"
    # shellcheck disable=SC2086
    run_seeds "$program" $listed
    # shellcheck disable=SC2086
    SIMT_CHECK=memory,init,sync,leak run_seeds "$program" $others
    "$dir/generate" --expect "$first" $per_file > "$program.interpreted"
    awk -v from="$from" '
        FILENAME ~ /got$/    { got[$1] = $2; next }
        FILENAME ~ /wanted$/ { want[$1] = $2
            if ($1 in got && got[$1] != $2)
                print "seed " $1 ": " got[$1] ", " from " says " $2
            next }
        $1 in want && want[$1] != $2 {
            print "seed " $1 ": the interpreter says " $2 ", " from " " want[$1] }
    ' "$program.got" "$program.wanted" "$program.interpreted" \
        >> "$program.why"
    if [ -s "$program.why" ]; then
        echo "not ok - $name"
        sed 's/^/#/' "$program.why"
        echo "#tests/divergent.sh SEED shows one of them alone"
    else
        echo "ok - $name"
    fi
    rm -f "$program" "$program.cu"
}

# alone SEED: at every level, from files that stay
alone() {
    local kept=build/divergent seed=$1 level want
    mkdir -p $kept
    "$dir/generate" "$seed" 1 > "$kept/$seed.cu"
    want=$("$dir/generate" --expect "$seed" 1)
    echo "# $kept/$seed.cu; the GPU said $(awk -v s="$seed" '$1 == s' \
        $data 2> /dev/null | grep . || echo nothing)"
    for level in -O0 -O1 -O2 -O3; do
        program=$kept/$seed$level
        if ! why=$(compile $level "$kept/$seed.cu" "$program" 2>&1); then
            not_ok "seed $seed $level" "$why"
            continue
        fi
        if why=$(timeout -k 1 "$limit" "$program" 2>&1) &&
                [ "$why" = "$want" ]; then
            ok "seed $seed $level"
        else
            not_ok "seed $seed, $program" "expected $want
$why"
        fi
    done
}

if [ "${1-}" = --one ]; then
    dir=$2 from=$3
    trap - EXIT
    one "$4"
    exit
fi

if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "divergent kernels" "no clang: apt install clang"
    finish
fi
if ! why=$(build_generator "$dir/generate" 2>&1); then
    not_ok "generate.c compiles" "$why"
    finish
fi
if [ $# -gt 0 ]; then
    for seed; do alone "$seed"; done
    finish
fi

# Without numbers of a GPU the interpreter's own are compared.
if [ -e $data ]; then
    from="the GPU"
    grep -v '^#' $data > "$dir/listed"
    case ${SEEDS:-} in
    '')     awk -v n=$per_file 'int(($1 - 1) / n) % 5 == 0' ;;
    all)    cat ;;
    *)      awk -v n="$SEEDS" '$1 <= n' ;;
    esac < "$dir/listed" > "$dir/wanted"
    left=$(($(wc -l < "$dir/listed") - $(wc -l < "$dir/wanted")))
    [ $left -eq 0 ] ||
        skip "the other $left seeds" "SEEDS=all takes them"
else
    from="the interpreter"
    case ${SEEDS:-all} in all) SEEDS=400 ;; esac
    "$dir/generate" --expect 1 "$SEEDS" > "$dir/wanted"
fi
awk -v n=$per_file '{ print int(($1 - 1) / n) * n + 1 }' "$dir/wanted" |
    sort -nu |
    xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -n 1 \
        sh -c '"$0" --one "$1" "$2" "$3" > "$1/row$3"' "$0" "$dir" "$from"
for row in $(find "$dir" -name 'row*' | sed 's/.*row//' | sort -n); do
    text=$(head -1 "$dir/row$row")
    case $text in
    ok*) ok "${text#ok - }: what $from says" ;;
    *)   not_ok "${text#not ok - }" "$(tail -n +2 "$dir/row$row" | cut -c2-)" ;;
    esac
done
finish
