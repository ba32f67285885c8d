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
for N in 2 3; do
    ranks zero$N $N --zero 1 --sum-order fixed
    check "$N ranks with divided moments: the bits of one" same 000006 fixed1 \
        zero$N
done
ranks shards 3 --zero 1 --bucket 0.01 --log "$dir/shards.csv"
check "3 ranks, divided, small buckets: losses and norms of one" near one shards
ranks again 2
check "twice two ranks: the same bits" same 000006 any2 again

ranks looked 2 --rank-times 2
check "the times of ranks taken: the same bits" same 000006 any2 looked
check "a row of every second step, the slowest rank and its time" awk -F, '
    NR == 1 { exit_if = $0 != "step,ranks,slowest,slowest_ms,median_ms,least_ms" }
    NR > 1 { if ($1 != 2 * (NR - 1) || $2 != 2 || ($3 != 0 && $3 != 1) ||
                 !($4 >= $5 && $5 >= $6 && $6 > 0)) exit_if = 1 }
    END { exit exit_if || NR != 4 }' "$dir/looked-ranks.csv"

plan() {            # options...: of d2, whose exchange bench_step.sh counts
    "$BIN/train" --model d2 --batch 1 --seq 64 --plan --precision "$@"
}
check "a plan for two ranks: what bench-step counts" test \
    "$(plan fp32 --gpus 2 | tail -1)" = "ranks 2, this is one: each sends \
13.9 MB of gradients and 13.9 MB of their sums in a step"
check "a plan with a divided optimiser: half of the moments" awk \
    -v a="$(plan fp32 --gpus 2 | awk '/^total/ { print $2 }')" \
    -v b="$(plan fp32 --gpus 2 --zero 1 | awk '/^total/ { print $2 }')" \
    'BEGIN { exit !(b < a - 13 && b > a - 15) }'

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
    '^train: rank [01]: --accumulate 3: 2 GPUs need a multiple of 2' \
    train_small --gpus 2 --accumulate 3 --steps 1
check "what all ranks say is said once" test \
    "$(wc -l < "$dir/stderr")" -eq 1

victim() {          # folder, signal, step: to rank 1 when the step is saved
    local p tries=1200
    while [ $((tries--)) -gt 0 ] && ! [ -d "$dir/$1/step-$3" ]; do
        kill -0 $! 2> /dev/null || return       # the run has ended
        sleep 0.05
    done
    p=$(rank_of "$dir/$1" 1)
    # shellcheck disable=SC2046     # without rank 1: the whole run
    if [ -n "$p" ]; then kill "-$2" "$p"
    else kill -9 $(pgrep -f -- "--out $dir/$1 "); fi
}
newest() {          # folder: its last step that is saved
    find "$dir/$1" -name 'step-??????' | sort | sed -n '$s/.*step-0*//p'
}
stopped() {         # name: the step after which it was told to stop
    sed -n 's/^stopped by SIG[A-Z]* after step \([0-9]*\)$/\1/p' "$dir/$1.txt"
}
fails() {           # text, name, signal, pattern, options...: one message
    local text=$1 name=$2 number=$3 pattern=$4 status
    shift 4
    ranks "$name" 2 --steps 1000000 --save-every 2 --keep 0 "$@" &
    victim "$name" "$number" 000002
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
    'rank 0: .*rank 1 has not answered for 5 s' --timeout 5
at=$(newest killed)
check "its checkpoints can be resumed from" train_small --resume \
    --steps $((at + 2)) --out "$dir/killed" --log "$dir/killed.csv"
check "and the run goes on" test -d "$(printf '%s/killed/step-%06d' "$dir" \
    $((at + 2)))"

# A file of more than 20 KiB cannot be written: a disk that is full for rank 0,
# which alone writes.
check "a run of two steps" train_small --batch 2 --accumulate 6 --steps 2 \
    --gpus 2 --sum-order fixed --out "$dir/full" --log "$dir/full.csv"
limited() {         # options...: go on with it
    ( ulimit -f 20
      trap '' XFSZ
      exec "$BIN/train" --resume --gpus 2 --out "$dir/full" "$@" )
}
refuses "a disk that is full when a checkpoint is written" 1 \
    '^train: rank 0: .*step-000004.*: File too large; .*the last .*step-000002$' \
    limited --log "$dir/full.csv" --steps 4 --save-every 4
check "one rank says so" test "$(wc -l < "$dir/stderr")" -eq 1
refuses "a disk that is full when the log is written" 1 \
    '^train: rank 0: step [0-9]*: .*full.csv: cannot write: File too large; .*the last .*step-000002$' \
    limited --log "$dir/full.csv" --steps 100000 --save-every 0
check "one rank says so" test "$(wc -l < "$dir/stderr")" -eq 1
"$BIN/train" --resume --gpus 2 --out "$dir/full" --log "$dir/full.csv" \
    --steps 6 > "$dir/full.txt" 2>&1 < /dev/null
check "the last checkpoint is whole: the run goes on" grep -q \
    'resumed after step 2' "$dir/full.txt"

# Rank 1 is told to stop: all stop after the same step, and go on as if not.
# The runs that get a signal have no end of their own, however late it comes.
endless="--steps 1000000 --schedule constant --keep 0 --sum-order fixed"
# shellcheck disable=SC2086
ranks told 2 $endless --save-every 20 --restarts 3 &
victim told TERM 000020
wait $!
at=$(stopped told) whole=$((at + 20))
check "a rank that is told to stop: all end after one step" test -n "$at"
check "and are not started again" test -z \
    "$(grep 'starting all' "$dir/told.err")"
# shellcheck disable=SC2086
ranks told 2 $endless --steps $whole --resume
# shellcheck disable=SC2086
ranks wanted 1 $endless --steps $whole
check "it goes on to the bits of a run in one go" \
    same "$(printf %06d $whole)" wanted told

# Rank 1 is killed, and told to stop once the next try has saved a step.
# shellcheck disable=SC2086
ranks restarted 2 $endless --save-every 50 --restarts 2 &
victim restarted KILL 000050
until grep -q 'starting all' "$dir/restarted.err" || ! kill -0 $! 2> /dev/null
do sleep 0.05; done
victim restarted TERM "$(printf %06d $(($(newest restarted) + 50)))"
wait $!
at=$(stopped restarted)
# shellcheck disable=SC2086
ranks straight 1 $endless --steps "${at:-1}"
check "a rank that is killed, with --restarts: the bits of a run in one go" \
    same "$(printf %06d "$at")" straight restarted
check "and it says so" grep -q 'starting all 2 again .*restart 1 of 2' \
    "$dir/restarted.err"

# Two ranks as mpirun would start them.
pair() {            # port, options of rank 1...: their messages in pair.err
    local port=$1 a=()
    shift
    for r in 0 1; do
        # shellcheck disable=SC2086
        (cd "${home[r]}" || exit
         OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 exec \
             "${program[r]}" $small --data "$dir/train.bin" \
             --vocab "$dir/vocab" --batch 2 --steps 2 \
             --address "127.0.0.1:$port" --timeout 20 "${a[@]}") \
             > "$dir/pair.$r" 2>> "$dir/pair.err" < /dev/null &
        a=("$@")
    done
    wait
}
port=$((20000 + $$ % 20000))
train=$(realpath "$BIN/train")
program=("$train" "$train") home=("$dir" "$dir")
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
: > "$dir/pair.err"
pair $((port + 4)) --zero 1
check "ranks that divide the optimiser and do not: rank 1 says so" grep -q \
    '^train: rank 1: --zero is 1 here and 0 in rank 0' "$dir/pair.err"
: > "$dir/pair.err"
cp "$BIN/train" "$dir/train"
echo >> "$dir/train"
program[1]=$dir/train
pair $((port + 5))
check "ranks of two programs: rank 1 says so" grep -q \
    '^train: rank 1: the program is ' "$dir/pair.err"
check "and only rank 1" test "$(wc -l < "$dir/pair.err")" -eq 1
program[1]=$train
# each in a folder of its own, as on two hosts: a byte differs
mkdir "$dir/a" "$dir/b"
cp "$dir/one/step-000006/model.safetensors" "$dir/a"
cp "$dir/a/model.safetensors" "$dir/b"
home=("$dir/a" "$dir/b")
: > "$dir/pair.err"
small="--seq 32 --heads 3 --init model.safetensors" pair $((port + 6))
check "two ranks that begin with the same file" test ! -s "$dir/pair.err"
printf x | dd of="$dir/b/model.safetensors" bs=1 seek=40001 conv=notrunc \
    status=none
small="--seq 32 --heads 3 --init model.safetensors" pair $((port + 7))
check "ranks that begin with two sets of weights: rank 1 says so" grep -q \
    '^train: rank 1: the file of weights is ' "$dir/pair.err"

refuses "a rank that does not come" 1 \
    'rank 1 has not come to 127.0.0.1:[0-9]* within 1 s' train_small --rank 0 \
    --world 2 --address "127.0.0.1:$((port + 3))" --timeout 1 --steps 1

# ---- mpirun -----------------------------------------------------------------
mpi() {             # name, ranks, options...: as `ranks`
    local name=$1 N=$2
    shift 2
    # shellcheck disable=SC2086
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout 120 mpirun --oversubscribe --bind-to none -n "$N" "$BIN/train" $small \
        --data "$dir/train.bin" --vocab "$dir/vocab" --batch 2 --accumulate 6 \
        --steps 6 --out "$dir/$name" --log "$dir/$name.csv" "$@" \
        > "$dir/$name.txt" 2> "$dir/$name.err" < /dev/null
}
if command -v mpirun > /dev/null; then
    mpi mpi2 2 --sum-order fixed
    check "mpirun -n 2: the bits of one" same 000006 fixed1 mpi2
    mpi mpi3 3 --sum-order fixed --zero 1
    check "mpirun -n 3, divided: the bits of one" same 000006 fixed1 mpi3
    mpi mpi5 5
    check "mpirun -n 5 of 6 batches: what to do" grep -q \
        '^train: rank [0-4]: --accumulate 6: 5 GPUs need a multiple of 5' \
        "$dir/mpi5.err"
    echo "$(hostname) slots=2" > "$dir/hosts"
    # shellcheck disable=SC2086
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        MASTER_PORT=$((port + 8)) timeout 120 sh \
        code/programs/train_mpi.sh "$dir/hosts" "$BIN/train" $small \
        --data "$dir/train.bin" --vocab "$dir/vocab" --batch 2 \
        --accumulate 6 --steps 6 --out "$dir/hosts2" --sum-order fixed \
        > "$dir/hosts2.txt" 2> "$dir/hosts2.err" < /dev/null
    check "train_mpi.sh with this host in its file: the bits of one" \
        same 000006 fixed1 hosts2
else
    skip "ranks that mpirun starts" "no mpirun; make setup brings OpenMPI"
fi

# ---- the software GPU --------------------------------------------------------
if [ -x "$BIN/train-simt" ]; then
    small_simt() {  # name, ranks, options...
        local name=$1 N=$2
        shift 2
        "$BIN/train-simt" --layers 1 --heads 1 --channels 32 --batch 1 \
            --seq 16 --steps 2 --accumulate 2 --sum-order fixed \
            --vocab "$dir/vocab" --data "$dir/train.bin" --gpus "$N" "$@" \
            --out "$dir/$name" > "$dir/$name.txt" 2> "$dir/$name.err" \
            < /dev/null
    }
    for p in fp32 bf16; do
        small_simt $p.1 1 --precision $p
        small_simt $p.2 2 --precision $p
        small_simt $p.zero 2 --precision $p --zero 1
        small_simt $p.next 1 --precision $p --steps 1
        "$BIN/train-simt" --resume --steps 2 --gpus 2 --zero 1 --out \
            "$dir/$p.next" > "$dir/$p.txt" 2>&1 < /dev/null
        check "two software GPUs, $p: the bits of one" same 000002 $p.1 $p.2
        check "... with divided weights and moments" same 000002 $p.1 $p.zero
        check "... from a checkpoint of one" grep -q 'is in' "$dir/$p.txt"
    done
    small_simt off.1 1 --precision bf16 --master-weights off
    small_simt off.2 2 --precision bf16 --master-weights off --zero 1
    check "... with weights in bf16 only" same 000002 off.1 off.2
else
    skip "two software GPUs" "train-simt is not built"
fi
finish
