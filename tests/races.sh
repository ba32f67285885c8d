#!/usr/bin/env bash
# The kernels of the chapter on races, on the software GPU: the right ones
# compute what they should and the sanitizer is silent; each broken one is
# reported, by its kind and at its line; and the reports that the chapter
# prints are those of the program.
#
# tests/races.sh --write     writes figures/data/races-NAME.txt anew
. tests/lib/run.sh
. tests/lib/wrong.sh
simtcc=$BIN/simtcc
source=code/lessons/races.cu

if ! [ -x "$simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "races on the software GPU" "no $simtcc, or no clang"
    finish
fi

right="histogram-atomic reverse-barrier shares total tiles tiles-two-buffers
    copies warp-sync warp-shuffle message message-release lock"

# A broken kernel, the kind of report, the line that has to be named, and what
# the report that is printed contains (-: none is printed).
broken() {
    cat <<'END'
histogram|race|count[x[i] % 128]++;|reads 4 bytes
reverse|race|y[t] = s[blockDim.x - 1 - t];|reads 4 bytes
shares-no-barrier|race|s[t] += s[t + d];|No barrier lies between
shares-barrier-in-branch|barrier|__syncthreads();|waits here
two-sums|race|return s[0];|-
total-no-fence|race|v = block_sum(t < (int)gridDim.x ? part[t] : 0, s);|reads
tiles-one-barrier|race|s[t] = x[k * THREADS + t];|writes 4 bytes
copies-wrong-group|copy not waited for|v += (k + 1) * s[k % 2][THREADS - 1 - t];|reads
copies-no-barrier|race|v += (k + 1) * s[k % 2][THREADS - 1 - t];|Waiting for a copy
copies-one-barrier|race|asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"|-
warp-volatile|race|s[t] += s[t + 16];|reads 4 bytes
message-no-fence|race|*y = *data;|reads 4 bytes
message-fence-first|race|*y = *data;|-
lock-no-fence|race|*count += 1;|writes 4 bytes
END
}

build() {           # SOURCE PROGRAM THREADS
    "$simtcc" -Wall -Wextra -Werror -Icode -DTHREADS="$3" "$1" -o "$2" \
        > "$dir/build" 2>&1
}

# The first report in $dir/out of a kind that contains a text.
report() {          # KIND TEXT
    awk -v kind=": $1: " -v text="$2" '
        function end() {
            flat = all; gsub(/\n */, " ", flat)
            if (index(flat, kind) && index(flat, text) && !found++)
                printf "%s", all
        }
        /^code\// { end(); all = "" }
        /^[^ ]/ && !/^code\// { end(); all = ""; next }
        { all = all $0 "\n" }
        END { end() }' "$dir/out"
}

# That report, and the lines of the source that it names.
printed() {         # KIND TEXT
    report "$@" > "$dir/report"
    cat "$dir/report"
    echo
    tr -d '\n' < "$dir/report" | grep -o 'races\.cu:[0-9]*' | cut -d: -f2 |
        sort -nu | while read -r line; do
            echo "$line: $(sed -n "${line}s/^ *//p" $source)"
        done
}

right_row() {       # NAME THREADS
    if SIMT_CHECK=$3 "$dir/races-$2" "$1" > "$dir/out" 2>&1 &&
        [ "$(cat "$dir/out")" = "$1: right in 1 of 1 runs" ]
    then return; fi
    head -6 "$dir/out"
    return 1
}

broken_row() {      # NAME KIND LINE THREADS
    local n lines
    timeout 60 "$dir/races-$4" "$1" > "$dir/out" 2>&1
    [ $? -eq 86 ] || { echo "its status is not 86"; return 1; }
    lines=$(grep -nF -- "$3" "$source" | cut -d: -f1)
    for n in $lines; do
        ! grep -q "^$source:$n: $2: " "$dir/out" || return 0
    done
    echo "no '$2' at '$3'"; head -6 "$dir/out"
    return 1
}

for threads in 64 128 1024; do
    if ! build $source "$dir/races-$threads" "$threads"; then
        not_ok "the chapter's kernels compile" "$(cat "$dir/build")"
        finish
    fi
done

if [ "$1" = --write ]; then
    while IFS='|' read -r name kind _ text; do
        "$dir/races-128" "$name" > "$dir/out" 2>&1
        [ "$text" = - ] ||
            printed "$kind" "$text" > "figures/data/races-$name.txt"
    done < <(broken)
    exit
fi

for threads in 64 128 1024; do
    for name in $right; do
        for check in on off; do
            check "$name, $threads threads, SIMT_CHECK=$check: right, silent" \
                right_row "$name" "$threads" "$check"
        done
    done
    while IFS='|' read -r name kind line text; do
        check "$name, $threads threads: $kind" \
            broken_row "$name" "$kind" "$line" "$threads"
        if [ "$threads" != 128 ] || [ "$text" = - ]; then continue; fi
        printed "$kind" "$text" > "$dir/printed"
        check "figures/data/races-$name.txt is what is reported" \
            diff "figures/data/races-$name.txt" "$dir/printed"
    done < <(broken)
done

# What the chapter says of results: a race that does not show, and one that
# does.
result() {          # NAME THREADS N: right in N of 1 runs, without checks
    SIMT_CHECK=off "$dir/races-$2" "$1" > "$dir/out" 2>&1
    [ "$(cat "$dir/out")" = "$1: right in $3 of 1 runs" ] && return
    cat "$dir/out"
    return 1
}
while read -r name threads times; do
    check "$name, $threads threads: the result is right in $times of 1 runs" \
        result "$name" "$threads" "$times"
done <<'END'
histogram 128 1
reverse 128 0
shares-no-barrier 64 1
shares-no-barrier 128 0
two-sums 128 0
total-no-fence 128 1
warp-volatile 128 1
message-no-fence 128 1
lock-no-fence 128 1
END

# The commands that the chapter prints, and the number of reports.
commands() {
    sed -n '/^build\/bin\/simtcc .*races$/,/^```/p' chapters/machine/races.nw |
        sed "/^\`\`\`/d; s|^build/bin/simtcc|$simtcc|; s|-o races|-o $dir/races|
            s|^\\./races|$dir/races|" > "$dir/commands"
    [ "$(wc -l < "$dir/commands")" = 2 ] || { cat "$dir/commands"; return 1; }
    sh "$dir/commands" > "$dir/out" 2>&1
    [ $? -eq 86 ] && tail -1 "$dir/out" |
        grep -qx "the sanitizer found 6 problems: 2 uninitialised, 4 race" &&
        return
    cat "$dir/out"
    return 1
}
check "the commands of the chapter, and six reports" commands

# All that the program lists is tested here.
check "every kernel of the program has a row" \
    diff <("$dir/races-128" | tail -n +2 | tr -d ' ' | sort) \
         <({ echo "$right" | tr -s ' ' '\n'; broken | cut -d'|' -f1; } |
           grep . | sort)

# Results that are wrong without a race.
caught() {          # .cu-wrong file
    local name
    if ! make_wrong "$1" "$source" > "$dir/changed.cu" ||
        ! build "$dir/changed.cu" "$dir/wrong" 128
    then cat "$dir/build"; return 1; fi
    sed -n 's/^caught-by: //p' "$1" > "$dir/by"
    while read -r name; do
        SIMT_CHECK=off "$dir/wrong" "$name" > "$dir/out" 2>&1
        grep -q "^$name: right in 0 of 1 runs" "$dir/out" || {
            echo "not caught by $name"; return 1; }
    done < "$dir/by"
}
for w in tests/wrong/races-*.cu-wrong; do
    check "$(basename "$w" .cu-wrong): caught ($(sed -n 's/^why: //p' "$w"))" \
        caught "$w"
done
finish
