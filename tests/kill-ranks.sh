#!/bin/bash
# A rank is killed (SIGKILL) at a random moment, KILLS times (3), and each time
# the run goes on and ends in the bits of one that nobody disturbed: weights,
# moments and log.  In turns `--restarts` starts all ranks again, or the next
# call does with `--resume`.
# RANKS: how many (2).  MACHINE=simt or cuda: train-simt, train-cuda.
# SEED: of the moments and the ranks.  OPTIONS: of train, in place of some below.
. tests/lib/run.sh
machine=${MACHINE:+-$MACHINE} KILLS=${KILLS:-3} RANKS=${RANKS:-2}
train=$BIN/train$machine
if ! [ -x "$train" ]; then
    skip "ranks under fire" "$train is not built"
    finish
fi
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
if [ "${MACHINE:-}" = simt ]; then
    OPTIONS=${OPTIONS:-"--steps 8 --batch 1 --seq 16 --precision fp32"}
fi
OPTIONS=${OPTIONS:-"--steps 120 --batch 2 --seq 32"}

run() {             # out, options...: in place of this process
    local out=$1
    shift
    # shellcheck disable=SC2086
    exec "$train" --layers 1 --heads 1 --channels 32 --lr 3e-3 --save-every 4 \
        --vocab "$dir/vocab" --data "$dir/train.bin" --sum-order fixed \
        --zero 1 --out "$out" --log "$out.csv" --timeout 60 --gpus "$RANKS" \
        $OPTIONS "$@"
}
now() { date +%s.%N; }
took() {            # from: seconds since then
    awk -v a="$1" -v b="$(now)" 'BEGIN { print b - a }'
}
same() {            # folder, folder: checkpoint and log
    local f step
    step=$(cd "$1" && echo step-*) && step=${step##* } || return 1
    for f in model optimizer; do
        cmp "$1/$step/$f.safetensors" "$2/$step/$f.safetensors" || return 1
    done
    cmp <(cut -d, -f1-5 "$1.csv") <(cut -d, -f1-5 "$2.csv")
}

before=$(now)
(run "$dir/straight") > "$dir/said" 2>&1 ||
    { not_ok "a run that nobody disturbs" "$(cat "$dir/said")"; finish; }
whole=$(took "$before")
echo "# undisturbed: $whole s"
RANDOM=${SEED:-1}
kills=0 rounds=0 bad_rounds=0
while [ $kills -lt "$KILLS" ] && [ $rounds -lt $((4 * KILLS + 8)) ]; do
    rounds=$((rounds + 1))
    out=$dir/killed err=$dir/err rank=$((RANDOM % RANKS))
    wait_s=$(awk -v t="$whole" -v r="$RANDOM" 'BEGIN { print t * r / 32768 }')
    restarts=$((kills % 2))
    rm -rf "$out" "$out.csv" "$out-ranks.csv"
    before=$(now)
    run "$out" --restarts $restarts > "$dir/said" 2> "$err.all" &
    launcher=$!
    sleep "$wait_s"
    victim=$(rank_of "$out" $rank)
    hit=no
    [ -n "$victim" ] && kill -9 "$victim" 2> /dev/null && hit=yes
    wait $launcher
    status=$?
    grep -v '^simt: ' "$err.all" > "$err"       # notes of the simulation
    what="round $rounds, rank $rank killed $wait_s s after the start"
    if pgrep -f -- "--out $out " > /dev/null; then
        why="a process is left"
    elif grep -q "rank $rank was ended by signal 9" "$err"; then
        kills=$((kills + 1)) why=
        [ "$(wc -l < "$err")" -eq 1 ] || why="more than one message"
        if [ $restarts -eq 1 ] && [ $status -ne 0 ]; then
            why="status $status, though it was to start again"
        elif [ $restarts -eq 0 ] && [ $status -eq 0 ]; then
            why="status 0"
        fi
    elif [ $status -eq 0 ] && ! [ -s "$err" ]; then
        why=                    # too late: the rank had ended already
        whole=$(took "$before")
    else
        why="status $status, killed: $hit"
    fi
    if [ -z "$why" ] && [ $status -ne 0 ]; then
        (run "$out" --resume) > "$dir/said" 2>> "$err" ||
            why="resumed: $(tail -3 "$err")"
    fi
    [ -n "$why" ] || why=$(same "$dir/straight" "$out" 2>&1)
    echo "# $what: ${why:-the same bits}, $(took "$before") s, $kills kills"
    if [ -n "$why" ]; then
        not_ok "$what" "$why; $(cat "$err")"
        bad_rounds=$((bad_rounds + 1))
        [ $bad_rounds -lt 3 ] || break
    fi
done
[ $bad_rounds -gt 0 ] ||
    ok "$kills kills of one of $RANKS ranks: the bits of an undisturbed run"
check "as many as were asked for ($kills in $rounds runs)" \
    test $kills -ge "$KILLS"
finish
