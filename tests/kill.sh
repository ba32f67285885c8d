#!/bin/bash
# Fault injection: 1,000 steps, killed (SIGKILL) again and again and resumed,
# must end in the weights and moments of a run that nobody disturbed, bit for
# bit.  First at random moments; then, of a short run, before each single
# call that changes a file, so that no moment of a save is left out, and no
# later kill may leave an older checkpoint than an earlier one did.
# MACHINE=cuda: train-cuda, in fp32 and in bf16 at the same time, at random
# moments only.
# KILLS: at most so many; STEPS: instead of 1,000.
. tests/lib/run.sh
. tests/lib/wrong.sh
B=${B:-build} machine=${MACHINE:+-$MACHINE} STEPS=${STEPS:-1000}
KILLS=${KILLS:-$([ -n "$machine" ] && echo 7 || echo 25)}
train=$BIN/train$machine last=$(printf '%06d' "$STEPS")
if ! [ -x "$train" ]; then
    skip "1,000 steps under fire" "$train is not built"
    finish
fi
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }

options="--layers 1 --heads 1 --channels 32 --batch 2 --seq 32 --lr 3e-3
    --vocab $dir/vocab --data $dir/train.bin --save-every 20"
run_in() {          # out, options...: in place of this process
    local out=$1
    shift
    # shellcheck disable=SC2086
    exec "$train" $options --resume --out "$out" --log "$out.csv" "$@"
}
same() {            # step, folder, folder: what they hold, and their logs
    local f
    for f in model optimizer; do
        cmp "$2/step-$1/$f.safetensors" "$3/step-$1/$f.safetensors" ||
            return 1
    done
    cmp <(cut -d, -f1-5 "$2.csv") <(cut -d, -f1-5 "$3.csv")
}
now() { date +%s.%N; }

# ---- at random moments -----------------------------------------------------------
# The straight run is timed, so that on a machine of any speed a kill comes
# after 3 % to 18 % of the run; a start-up that is longer than that, a GPU's,
# is waited for.  Where the clock misjudges (a first run can take three times
# as long as the next), the share of the run that was done says so, and the
# next kill comes sooner or later.  Numbers are drawn from a seed; the moments
# are as random as the scheduler.
newest() {          # folder: the step of its newest checkpoint
    local last
    last=$(find "$1" -maxdepth 1 -name 'step-*' 2> /dev/null |
        sed -n 's/.*step-0*\([0-9][0-9]*\)$/\1/p' | sort -n | tail -1)
    echo "${last:-0}"
}
fire() {            # name, options...: runs it, kills it; no row of its own
    local name=$1 before took started kills=0 pid said=$dir/said$1
    local scale=1 from=0 to
    [ -z "$machine" ] || scale=0.3
    shift
    before=$(now)
    (run_in "$dir/straight$name" --steps "$STEPS" "$@") > "$said" 2>&1 || {
        tail -3 "$said" > "$dir/why$name"; return; }
    took=$(awk -v a="$before" -v b="$(now)" 'BEGIN { print b - a }')
    before=$(now)
    (run_in "$dir/straight$name" --steps "$STEPS" "$@") > "$said" 2>&1
    started=$(awk -v a="$before" -v b="$(now)" 'BEGIN { print b - a }')
    RANDOM=4
    for _ in $(seq 100); do
        [ -d "$dir/killed$name/step-$last" ] && break
        run_in "$dir/killed$name" --steps "$STEPS" "$@" > "$said" 2>&1 &
        pid=$!
        if [ $kills -lt "$KILLS" ]; then
            sleep "$(awk -v t="$took" -v s="$started" -v r=$RANDOM \
                -v k="$scale" 'BEGIN {
                print s * 0.9 + k * (t - s) * (0.03 + 0.15 * r / 32768) }')"
            kill -9 $pid 2> /dev/null && kills=$((kills + 1))
            to=$(newest "$dir/killed$name")
            scale=$(awk -v k="$scale" -v p=$((to - from)) -v n="$STEPS" \
                'BEGIN { print (p > 0.2 * n ? k / 2 : p < 0.04 * n ? k * 1.5 : k) }')
            from=$to
        fi
        wait $pid 2> /dev/null
    done
    echo "$kills" > "$dir/kills$name"
    echo "straight $took s, start $started s, killed $kills times; scale $scale"
}
outcome() {         # name
    if [ -e "$dir/why$1" ]; then
        not_ok "1,000 steps$1" "$(cat "$dir/why$1")"
        return
    fi
    check "killed several times$1 ($(cat "$dir/kills$1"))" \
        test "$(cat "$dir/kills$1")" -ge 3
    check "1,000 steps$1: the end of a run that nobody disturbed" \
        same "$last" "$dir/straight$1" "$dir/killed$1"
    check "and nothing half done lies about$1" test -z "$(find \
        "$dir/killed$1" -mindepth 1 -name '*tmp*' -o -name '*old*')"
}
# On a GPU a start is a second or two of the driver's; both precisions share
# the device, and the wait.
if [ -n "$machine" ]; then
    fire " in bf16" --precision bf16 > "$dir/bf16" 2>&1 &
    fire " in fp32" --precision fp32 > "$dir/fp32" 2>&1
    wait
    tail -qn 1 "$dir/bf16" "$dir/fp32" | sed 's/^/# /'
    outcome " in fp32"
    outcome " in bf16"
else
    fire "" > "$dir/fp32" 2>&1
    outcome ""
fi
[ -z "$machine" ] || finish         # the rest is of files alone

# ---- before every single call --------------------------------------------------------
die=$dir/die_at.so
if ! ${CC:-cc} -shared -fPIC -D_GNU_SOURCE -w -o "$die" tests/lib/die_at.c -ldl \
        2> "$dir/stderr"; then
    not_ok "tests/lib/die_at.c compiles" "$(cat "$dir/stderr")"
    finish
fi
dies() {            # n, program, out: a run of 4 steps that dies at call n
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=1 DIE_AT=$1 LD_PRELOAD=$die "$2" $options --save-every 2 --keep 1 \
        --resume --out "$3" --log "$3.csv" --steps 4 > "$dir/stdout" 2>&1
}
each_call() {       # program, first, step: 0 if all ends are those of its own
    local n calls count=0 s had=0 has
    rm -rf "$dir/whole"* "$dir/part"*
    : > "$dir/count"
    DIE_COUNT=$dir/count dies 0 "$1" "$dir/whole" || {
        cat "$dir/stdout"; return 1; }
    calls=$(tail -1 "$dir/count")
    for n in $(seq "$2" "$3" "$calls"); do
        rm -rf "$dir/part"*
        { dies "$n" "$1" "$dir/part"; } 2> /dev/null
        s=$?
        [ $s -eq 137 ] || { echo "call $n: status $s"; return 1; }
        has=$(find "$dir/part" -name 'step-0*' 2> /dev/null |
            sed -n 's/.*step-0*//p' | sort -n | tail -1)
        [ "${has:-0}" -ge "$had" ] ||
            { echo "call $n: step $had was saved, now ${has:-none}"; return 1; }
        had=${has:-0}
        dies 0 "$1" "$dir/part" ||
            { echo "killed before call $n of $calls, then:"
              cat "$dir/stdout"; return 1; }
        same 000004 "$dir/whole" "$dir/part" ||
            { echo "killed before call $n of $calls"; return 1; }
        count=$((count + 1))
    done
    [ $count -gt 20 ] || { echo "only $count calls of $calls"; return 1; }
    echo "$count of $calls" > "$dir/counted"
}
check "four steps, killed before each call that changes a file" \
    each_call "$train" 1 1

# ---- known mistakes --------------------------------------------------------------
for w in tests/wrong/kill-*.c-wrong; do
    name=$(basename "$w" .c-wrong)
    file=$(sed -n 's/^file: //p' "$w") why=$(sed -n 's/^why: //p' "$w")
    # shellcheck disable=SC2086
    if ! make_wrong "$w" "$file" > "$dir/wrong.c" 2> "$dir/stderr" ||
        ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Icode -w -O2 -fopenmp \
            "$B/opt/code/programs/train.o" "$dir/wrong.c" \
            "$B/libmb-opt.a" -lm -lpthread -o "$dir/wrong" 2> "$dir/stderr"
    then
        not_ok "$name" "$(cat "$dir/stderr")"
    elif each_call "$dir/wrong" 1 1 > "$dir/said" 2>&1; then
        not_ok "$name: caught ($why)" "all runs ended alike"
    else
        ok "$name: caught ($why)"
    fi
done
finish
