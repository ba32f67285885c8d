# shellcheck shell=bash
# Sourced by the scripts that run whole programs: TAP, a scratch folder, a
# small corpus with its vocabulary and shards.
BIN=${BIN:-build/bin}
n=0
bad=0
dir=$(mktemp -d) || exit 1
# shellcheck disable=SC2046
trap 'kill -9 $(jobs -p) 2> /dev/null; rm -rf "$dir"' EXIT
# half the time of the usual linker
# shellcheck disable=SC2034     # for the scripts
if command -v ld.gold > /dev/null; then linker=-fuse-ld=gold; else linker=; fi
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" OMP_WAIT_POLICY=passive

ok() {              # text
    n=$((n + 1))
    echo "ok $n - $1"
}

not_ok() {          # text, why
    n=$((n + 1))
    bad=1
    echo "not ok $n - $1"
    printf '%s\n' "$2" | head -12 | sed 's/^/#   /'
}

skip() {            # text, reason
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}

finish() {
    echo "1..$n"
    exit $bad
}

check() {           # text, command...: the command succeeds
    local text=$1 why
    shift
    if why=$("$@" 2>&1); then ok "$text"; else not_ok "$text" "$why"; fi
}

# refuses TEXT STATUS PATTERN COMMAND...: ends with that status, and says
# something that matches the pattern on standard error.
refuses() {
    local text=$1 want=$2 pattern=$3 got
    shift 3
    "$@" > "$dir/stdout" 2> "$dir/stderr" < /dev/null
    got=$?
    if [ $got -ne "$want" ]; then
        not_ok "$text" "status $got, expected $want: $(cat "$dir/stderr")"
    elif ! grep -Eq -e "$pattern" "$dir/stderr"; then
        not_ok "$text" "expected /$pattern/, found: $(cat "$dir/stderr")"
    else
        ok "$text"
    fi
}

# report_rows COMMAND...: a program that prints rows of its own, `ok - TEXT` or
# `not ok - TEXT`, kept in $dir/rows; its exit status is in $status after.
report_rows() {
    local line
    "$@" > "$dir/rows" 2> "$dir/stderr"
    # shellcheck disable=SC2034     # for the script
    status=$?
    while read -r line; do
        case $line in
        "ok - "*)     ok "${line#ok - }" ;;
        "not ok - "*) not_ok "${line#not ok - }" "$(cat "$dir/stderr")" ;;
        esac
    done < "$dir/rows"
}

# facts_are CSV ROWS: the file says name,value,unit as the rows do, which this
# script has just computed; UPDATE_FACTS=DATE writes it.
facts_are() {
    if [ -n "${UPDATE_FACTS:-}" ]; then
        { echo name,value,unit,machine,command,commit,date
          sed "s|\$|,none,tests/${0##*/},,$UPDATE_FACTS|" "$2"; } > "$1"
    fi
    check "$1 is what is counted here" \
        diff <(tail -n +2 "$1" | cut -d, -f1-3) "$2"
}

# rank_of OUT RANK: that process of a `train --out OUT ...`, once it is there
rank_of() {
    local p
    for p in $(pgrep -f -- "--out $1 "); do
        if { tr '\0' '\n' < "/proc/$p/environ"; } 2> /dev/null |
            grep -qx "MB_RANK=$2"; then
            echo "$p"
            return
        fi
    done
}

# A corpus of about 100 kB made of chapters, a vocabulary of 320, shards.
make_corpus() {
    head -c 90000 chapters/workshop/ground-floor.nw > "$dir/train.txt"
    tail -c 12000 chapters/workshop/ground-floor.nw > "$dir/val.txt"
    "$BIN/tokenize" train --vocab-size 320 --out "$dir/vocab" \
        "$dir/train.txt" > "$dir/stdout" 2>&1 &&
    "$BIN/tokenize" encode --vocab "$dir/vocab" --out "$dir/train.bin" \
        "$dir/train.txt" > "$dir/stdout" 2>&1 &&
    "$BIN/tokenize" encode --vocab "$dir/vocab" --out "$dir/val.bin" \
        "$dir/val.txt" > "$dir/stdout" 2>&1
}

# train on it, a model that makes steps of a few milliseconds
small="--layers 2 --heads 3 --channels 48 --batch 4 --seq 32 --lr 3e-3"
train_small() {
    # shellcheck disable=SC2086
    "$BIN/train" $small --data "$dir/train.bin" --vocab "$dir/vocab" "$@"
}
