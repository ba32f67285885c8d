#!/bin/bash
# Fault injection: 1,000 steps, killed (SIGKILL) again and again and resumed,
# must end in the weights and moments of a run that nobody disturbed, bit for
# bit.  First at random moments; then, of a short run, before each single
# call that changes a file, so that no moment of a save is left out, and no
# later kill may leave an older checkpoint than an earlier one did.
# MACHINE=cuda: train-cuda, in fp32 and in bf16, at random moments only.
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
    cut -d, -f1-5 "$2.csv" > "$dir/log1"
    cut -d, -f1-5 "$3.csv" > "$dir/log2"
    cmp "$dir/log1" "$dir/log2"
}
now() { date +%s.%N; }

# ---- at random moments -----------------------------------------------------------
# The straight run is timed, so that on a machine of any speed a kill comes
# after 3 % to 18 % of the run; a start-up that is longer than that, a GPU's,
# is waited for.  Numbers are drawn from a seed; the moments are as random as
# the scheduler.
under_fire() {      # name, options...
    local name=$1 before took started kills=0 try pid
    shift
    before=$(now)
    (run_in "$dir/straight$name" --steps "$STEPS" "$@") > "$dir/stdout" 2>&1 || {
        not_ok "1,000 steps$name" "$(tail -3 "$dir/stdout")"; return; }
    took=$(awk -v a="$before" -v b="$(now)" 'BEGIN { print b - a }')
    before=$(now)
    (run_in "$dir/straight$name" --steps "$STEPS" "$@") > "$dir/stdout" 2>&1
    started=$(awk -v a="$before" -v b="$(now)" 'BEGIN { print b - a }')
    RANDOM=4
    for try in $(seq 100); do
        [ -d "$dir/killed$name/step-$last" ] && break
        run_in "$dir/killed$name" --steps "$STEPS" "$@" > "$dir/stdout" 2>&1 &
        pid=$!
        if [ $kills -lt "$KILLS" ]; then
            sleep "$(awk -v t="$took" -v s="$started" -v r=$RANDOM 'BEGIN {
                print s * 0.9 + (t - s) * (0.03 + 0.15 * r / 32768) }')"
            kill -9 $pid 2> /dev/null && kills=$((kills + 1))
        fi
        wait $pid 2> /dev/null
    done
    check "killed several times$name ($kills)" test $kills -ge 3
    check "1,000 steps$name: the end of a run that nobody disturbed" \
        same "$last" "$dir/straight$name" "$dir/killed$name"
    check "and nothing half done lies about$name" test -z "$(find \
        "$dir/killed$name" -mindepth 1 -name '*tmp*' -o -name '*old*')"
}
under_fire ""
if [ -n "$machine" ]; then
    under_fire " in bf16" --precision bf16
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
            "$B/opt/code/gpt2/main_train.o" "$dir/wrong.c" \
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
