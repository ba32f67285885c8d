#!/bin/bash
# Several ranks of `train` on one host: the same bits as one, the same tokens,
# and one message when a rank fails.  On the processor, and on the software
# GPU where train-simt is built.
. tests/lib/run.sh
make_corpus || { not_ok "a corpus to train on" "tokenize failed"; finish; }
export OMP_NUM_THREADS=1

ranks() {           # name, ranks, options...: a run of 6 steps, its log beside
    local name=$1 N=$2
    shift 2
    train_small --batch 2 --accumulate 6 --steps 6 --gpus "$N" \
        --out "$dir/$name" --log "$dir/$name.csv" "$@" \
        > "$dir/$name.txt" 2> "$dir/$name.err" < /dev/null
}
same() {            # step, folder, folder: weights and moments
    cmp "$dir/$2/step-$1/model.safetensors" \
        "$dir/$3/step-$1/model.safetensors" &&
        cmp "$dir/$2/step-$1/optimizer.safetensors" \
            "$dir/$3/step-$1/optimizer.safetensors"
}
near() {            # log, log: losses and norms agree to a part in 10,000
    paste -d, "$dir/$1.csv" "$dir/$2.csv" | awk -F, 'NR > 1 {
        if (!($2 > 0 && $8 > 0)) { print; exit 1 }
        a = $2 / $8 - 1; b = $4 / $10 - 1
        if (!(a*a <= 1e-8 && b*b <= 1e-8)) { print; exit 1 } n++ }
        END { if (n != 6) { print n " rows"; exit 1 } }'
}

# ---- the same numbers --------------------------------------------------------
ranks one 1
for N in 2 3; do
    ranks any$N $N
    check "$N ranks: losses and norms of one" near one any$N
    check "$N ranks: each has its part of the batches" \
        grep -q "^ranks   $N, .* with $((6 / N)) of the 6 batches" \
        "$dir/any$N.txt"
done
ranks fixed1 1 --sum-order fixed
check "one rank in a fixed order: losses and norms of one" near one fixed1
for N in 2 3 6; do
    ranks fixed$N $N --sum-order fixed
    check "$N ranks in a fixed order: the bits of one" same 000006 fixed1 \
        fixed$N
done
ranks small 3 --sum-order fixed --bucket 0.02
check "small buckets: the same bits" same 000006 fixed1 small
ranks late 2 --no-overlap
check "buckets after the backward pass: the same bits" same 000006 any2 late
ranks again 2
check "twice two ranks: the same bits" same 000006 any2 again

# ---- checkpoints -------------------------------------------------------------
ranks moved 2 --sum-order fixed --steps 4 --save-every 2 --lr 2e-3
ranks whole 1 --sum-order fixed --steps 4 --lr 2e-3
for N in 1 3; do
    cp -r "$dir/moved" "$dir/moved$N"
    rm -rf "$dir/moved$N/step-000004"
    "$BIN/train" --resume --gpus "$N" --out "$dir/moved$N" \
        --log "$dir/moved$N.csv" > "$dir/moved$N.txt" 2>&1 < /dev/null
    check "saved on 2 ranks, resumed on $N: the bits of one" same 000004 \
        whole "moved$N"
done

# ---- failures ----------------------------------------------------------------
refuses "batches that the ranks cannot share" 2 \
    '^train: rank 0: --accumulate 3: 2 GPUs need a multiple of 2' \
    train_small --gpus 2 --accumulate 3 --steps 1
check "what all ranks say is said once" test \
    "$(wc -l < "$dir/stderr")" -eq 1

victim() {          # folder, signal: sends it to rank 1 of the run in it
    local p tries=200
    while [ $((tries--)) -gt 0 ] && ! [ -d "$dir/$1/step-000002" ]; do
        sleep 0.05
    done
    for p in $(pgrep -f -- "--out $dir/$1 "); do
        if tr '\0' '\n' < "/proc/$p/environ" 2> /dev/null |
            grep -qx MB_RANK=1; then
            kill "-$2" "$p"
            return
        fi
    done
}
fails() {           # text, name, signal, pattern, options...: one message
    local text=$1 name=$2 number=$3 pattern=$4 status
    shift 4
    ranks "$name" 2 --steps 1000000 --save-every 2 --keep 0 "$@" &
    victim "$name" "$number"
    wait $!
    status=$?
    if [ $status -eq 0 ] || ! grep -Eq "$pattern" "$dir/$name.err" ||
        [ "$(wc -l < "$dir/$name.err")" -ne 1 ]; then
        not_ok "$text" "status $status: $(cat "$dir/$name.err")"
    elif pgrep -f -- "--out $dir/$name " > /dev/null; then
        not_ok "$text" "a rank is left"
    else
        ok "$text"
    fi
}
fails "a rank that is killed" killed KILL '^train: rank 1 was ended by signal 9'
fails "a rank that hangs" hangs STOP \
    'rank 0: .*rank 1 has not answered for 2 s' --timeout 2
check "its checkpoints can be resumed from" train_small --resume --steps 4 \
    --out "$dir/killed" --log "$dir/killed.csv"

ranks restarted 2 --steps 40 --save-every 2 --restarts 2 --sum-order fixed &
victim restarted KILL
wait $!
ranks straight 1 --steps 40 --sum-order fixed
check "a rank that is killed, with --restarts: the bits of a run in one go" \
    same 000040 straight restarted
check "and it says so" grep -q 'starting all 2 again .*restart 1 of 2' \
    "$dir/restarted.err"

# Two ranks as mpirun would start them.
pair() {            # port, options of rank 1...: their messages in pair.err
    local port=$1 a=()
    shift
    for r in 0 1; do
        OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 train_small \
            --batch 2 --steps 2 --address "127.0.0.1:$port" --timeout 20 \
            "${a[@]}" > "$dir/pair.$r" 2>> "$dir/pair.err" < /dev/null &
        a=("$@")
    done
    wait
}
port=$((20000 + $$ % 20000))
: > "$dir/pair.err"
pair $port
check "two ranks by the variables of mpirun" grep -q '^ranks   2' "$dir/pair.0"
pair $((port + 1)) --lr 1e-2
check "ranks with two learning rates: rank 1 says which option" grep -q \
    '^train: rank 1: --lr is 0.01.* here and .* in rank 0' "$dir/pair.err"
check "and only rank 1" test "$(cat "$dir/pair.err")" = \
    "$(grep "^train: rank 1: --lr" "$dir/pair.err")"
: > "$dir/pair.err"
pair $((port + 2)) --data "$dir/val.bin"
check "ranks with two data sets: rank 1 says so" grep -q \
    '^train: rank 1: --data is ' "$dir/pair.err"
refuses "a rank that does not come" 1 \
    'rank 1 has not come to 127.0.0.1:[0-9]* within 1 s' train_small --rank 0 \
    --world 2 --address "127.0.0.1:$((port + 3))" --timeout 1 --steps 1

# ---- the software GPU --------------------------------------------------------
if [ -x "$BIN/train-simt" ]; then
    small_simt() {  # name, ranks
        "$BIN/train-simt" --layers 1 --heads 1 --channels 32 --batch 1 \
            --seq 16 --steps 2 --accumulate 2 --sum-order fixed \
            --vocab "$dir/vocab" --data "$dir/train.bin" --gpus "$2" \
            --out "$dir/$1" > "$dir/$1.txt" 2> "$dir/$1.err" < /dev/null
    }
    small_simt simt1 1
    small_simt simt2 2
    check "two software GPUs in a fixed order: the bits of one" same 000002 \
        simt1 simt2
else
    skip "two software GPUs" "train-simt is not built"
fi
finish
