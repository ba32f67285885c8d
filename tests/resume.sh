#!/bin/bash
# A run that is interrupted in any way ends with the bits of one that was
# not.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }

# An epoch of few steps, but not of a whole number: 8 windows of 32 a step.
for bytes in 6000 6150 6300 6450; do
    head -c $bytes "$dir/train.txt" > "$dir/short.txt"
    "$BIN/tokenize" encode --vocab "$dir/vocab" --out "$dir/short.bin" \
        "$dir/short.txt" > /dev/null 2>&1
    tokens=$((($(wc -c < "$dir/short.bin") - 1024) / 2))
    [ $(((tokens - 1) / 32 % 8)) -ne 0 ] && break
done

# Options of the run in a folder; run_in executes it in this very process,
# so that a kill of a background job hits the program.
run_in() {          # out, options...
    out=$1
    shift
    # shellcheck disable=SC2086
    exec env --default-signal=INT "$BIN/train" $small --vocab "$dir/vocab" \
        --data "$dir/short.bin" --val "$dir/val.bin" --val-every 7 \
        --val-batches 2 --steps 60 --accumulate 2 --warmup 5 --save-every 2 \
        --out "$out" --log "$out.csv" "$@"
}
run() { (run_in "$@"); }
again() {
    "$BIN/train" --resume --out "$1" --log "$1.csv" > "$dir/stdout" \
        2> "$dir/stderr"
}
same_end() {
    for f in model optimizer; do
        cmp "$dir/straight/step-000060/$f.safetensors" \
            "$1/step-000060/$f.safetensors" || return 1
    done
}
same_log() {        # all columns but the speed
    cut -d, -f1-5 "$dir/straight.csv" > "$dir/log1"
    cut -d, -f1-5 "$1.csv" > "$dir/log2"
    cmp "$dir/log1" "$dir/log2"
}

run "$dir/straight" > "$dir/stdout" || {
    not_ok "a straight run" "$(cat "$dir/stderr")"; finish; }
check "the run spans several epochs and ends inside one" \
    awk '/an epoch is/ { e = $(NF - 1)
        if (!(e < 30 && e != int(e))) { print e; exit 1 } }' "$dir/stdout"

# Killed at random moments: during steps, validation, saving.  The log says
# how far the run is, so that kills fall into it on a machine of any speed;
# the log has a line at its head, and the last kill may come too late.
RANDOM=1
kills=0
lines() { if [ -e "$1" ]; then wc -l < "$1"; else echo 0; fi; }
for _ in $(seq 100); do
    [ -d "$dir/killed/step-000060" ] && break
    to=$(($(lines "$dir/killed.csv") + RANDOM % 8))
    run_in "$dir/killed" --resume > "$dir/stdout" 2> "$dir/stderr" &
    pid=$!
    if [ $kills -lt 12 ]; then
        for _ in $(seq 1000); do
            [ "$(lines "$dir/killed.csv")" -ge $((to < 61 ? to : 61)) ] && break
            [ -n "$(jobs -r)" ] || break
            sleep 0.002
        done
        sleep 0.0$((RANDOM % 30 + 10))
        kill -9 $pid 2> /dev/null && kills=$((kills + 1))
    fi
    wait $pid 2> /dev/null
done
check "killed more than twice before its end: $kills times" test $kills -ge 3
check "killed $kills times: the same model and moments" same_end "$dir/killed"
check "and a log without gap or repetition" same_log "$dir/killed"

# The last kill may fall between the name of the last checkpoint and the end
# of the deletion of an older one; the next start deletes what is left.  The
# folder made here is left by such a kill, whenever the real ones came.
mkdir -p "$dir/killed/tmp-step-000058"
echo half > "$dir/killed/tmp-step-000058/model.safetensors"
again "$dir/killed"
check "the next start leaves no temporary files" test -z \
    "$(find "$dir/killed" -mindepth 1 -name '*tmp*' | head -1)"

# Told to stop.
for signal in TERM INT; do
    out=$dir/$signal
    run_in "$out" --save-every 0 > "$dir/stdout" 2> "$dir/stderr" &
    pid=$!
    for _ in $(seq 200); do
        [ "$(lines "$out.csv")" -gt 4 ] && break
        sleep 0.01
    done
    kill -s $signal $pid
    wait $pid
    status=$?
    want=$((128 + $(kill -l $signal)))
    if [ $status -eq $want ] &&
        grep -q "train --resume --out $out --log $out.csv" "$dir/stdout"
    then ok "SIG$signal: saves, says how to go on, dies of the signal"
    else not_ok "SIG$signal: saves, says how to go on, dies of the signal" \
        "status $status, expected $want: $(tail -3 "$dir/stdout")"
    fi
    again "$out"
    check "and ends as if nothing had happened" same_end "$out"
    check "with the same log" same_log "$out"
done

# A finished run has nothing to do; a longer one goes on.
again "$dir/killed"
check "a finished run is left as it is" same_end "$dir/killed"

# The lock.
run_in "$dir/locked" --steps 100000 > "$dir/first" 2>&1 &
pid=$!
for _ in $(seq 300); do
    [ -e "$dir/locked/lock" ] && break
    sleep 0.01
done
sleep 0.1
refuses "a second run on the same --out is refused" 1 \
    'another run is writing' run "$dir/locked"
refuses "also with --resume" 1 'another run is writing' \
    run "$dir/locked" --resume
kill -9 $pid
wait $pid 2> /dev/null
refuses "--out with a run in it, without --resume" 1 \
    'holds a run that has reached step.*--resume' run "$dir/killed"
refuses "the model cannot change in a run" 2 \
    'run in .* has 2.*not be the same run' run "$dir/killed" --resume \
    --layers 3
refuses "nor can the order of its data" 2 'not be the same run' \
    run "$dir/killed" --resume --seed 5
refuses "--resume without --out" 2 'give --out' "$BIN/train" --resume
refuses "--resume where nothing is" 1 'no checkpoint to resume from' \
    "$BIN/train" --resume --out "$dir/nothing"
"$BIN/train" --resume --out "$dir/killed" --log "$dir/killed.csv" \
    --lr 1e-4 --steps 61 > "$dir/note" 2>&1
check "a rate may change, with a remark" \
    grep -q 'note: --lr is now' "$dir/note"

# The log of a checkpoint is written only where the call has named a folder.
train_on() { "$BIN/train" --resume --out "$1" --steps "$2" "${@:3}"; }
refuses "a log outside --out has to be named again" 2 \
    'killed has its log at .*killed.csv.*give --log again' \
    train_on "$dir/killed" 62
run "$dir/kept" --steps 4 --warmup 2 --log "$dir/kept/log.csv" > "$dir/stdout"
check "a log in --out is taken up again" train_on "$dir/kept" 5
check "and goes on" grep -q '^5,' "$dir/kept/log.csv"
mkdir "$dir/in"
mv "$dir/kept" "$dir/in/other"
refuses "a run that was moved does not write where it was" 2 \
    'give --log again' train_on "$dir/in/other" 6
check "nothing was created there" test ! -e "$dir/kept"
sed -i "s|$dir/kept/log.csv|$dir/in/other/../up.csv|" \
    "$dir/in/other/step-000005/train.json"
refuses "nor above --out" 2 'give --log again' train_on "$dir/in/other" 6
sed -i "s|/other/../up.csv|/other//log.csv|" \
    "$dir/in/other/step-000005/train.json"
ln -s "$dir/planted" "$dir/in/other/link.csv"
check "its own name, spelled in another way, will do" \
    train_on "$dir/in/other" 6
sed -i "s|other//log.csv|other/link.csv|" \
    "$dir/in/other/step-000006/train.json"
refuses "nor through a link" 2 'give --log again' \
    train_on "$dir/in/other" 7
check "no file was created by the link" test ! -e "$dir/planted"

# What a terminal would obey in a restored option is escaped.
sed -i 's|"prompt": "[^"]*"|"prompt": "\\u001b[2J"|' \
    "$dir/in/other/step-000006/train.json"
train_on "$dir/in/other" 7 --log "$dir/in/other/log.csv" --prompt x \
    > "$dir/note"
check "the old value in a remark is escaped" \
    grep -qF 'is now x, was \x1b[2J;' "$dir/note"

# Damaged checkpoints are refused, whole.
damage() {          # name, command in the checkpoint's folder
    rm -rf "$dir/hurt"
    mkdir "$dir/hurt"
    cp -r "$dir/straight/step-000060" "$dir/hurt/"
    (cd "$dir/hurt/step-000060" && eval "$2")
    refuses "a checkpoint with $1" 1 "$3" "$BIN/train" --resume \
        --out "$dir/hurt" --log "$dir/hurt.csv" --steps 70
}
damage "a truncated model" \
    'truncate -s -5 model.safetensors' 'model.safetensors'
damage "no optimiser" 'rm optimizer.safetensors' 'optimizer.safetensors'
damage "an empty train.json" ': > train.json' 'train.json'
damage "a negative batch" \
    'sed -i "s/\"batch\": 4/\"batch\": -4/" train.json' '"batch"'
damage "a rate that is no number" \
    'sed -i "s/\"lr\": [0-9.e-]*/\"lr\": \"fast\"/" train.json' '"lr"'
damage "another step than its name" \
    'sed -i "s/\"step\": 60/\"step\": 61/" train.json' 'step'
finish
