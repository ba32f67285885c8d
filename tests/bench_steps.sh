#!/bin/bash
# bench_steps.py: ours and PyTorch's in turns.  What it starts is played by
# scripts here; the real ones need a GPU.
. tests/lib/run.sh
if ! python3 -c '' 2> /dev/null; then
    skip "steps in turns" "no python3"
    finish
fi
export PYTHONDONTWRITEBYTECODE=1

# ours: 100, 101, 104 ms in its turns at B=64, nothing at B=16; three times
# that in other precisions
mkdir "$dir/bin"
cat > "$dir/bin/bench-step-cuda" <<'END'
#!/bin/bash
while [ $# -gt 0 ]; do
    case $1 in --batch) b=$2 ;; --out) out=$2 ;; --precision) p=$2 ;; esac
    shift
done
d=${0%/*}
line="ours $b"
[ "$p" = bf16 ] || line="$line in $p"
echo "$line" >> "$d/said"
[ -e "$d/wrong" ] && { echo "the loss is wrong: nothing is timed"; exit 1; }
[ "$b" = 16 ] && { echo "bench-step: out of memory" >&2; exit 1; }
n=$(grep -cx "$line" "$d/said")
ms=$(echo 100 101 104 | cut -d ' ' -f "$n")
[ "$p" = bf16 ] || ms=$((3 * ms))
echo "gpt2 B=$b $p: $ms ms, 1 tok/s"
echo "name,value,unit,machine,command,commit,date" > "$out"
for row in "time,$ms,ms" "low,$((ms - 1)),ms" "rate,$((65536000 / ms)),tok/s" \
    "given,$(echo 1.002 1.013 1.041 | cut -d ' ' -f "$n"),ms" \
    "part.adamw,1,ms"; do
    echo "step.gpt2.b$b.$p.$row,a machine,a command,c0ffee,2026-11-21"
done >> "$out"
END
chmod +x "$dir/bin/bench-step-cuda"

# PyTorch's: 200 ms, with bf16 weights 150, tuned 125, in TF32 250; FAIL: at
# some sizes those with bf16 weights fail
cat > "$dir/peer.py" <<'END'
import os, sys, time
word = dict(zip(sys.argv[1::2], sys.argv[2::2]))
low, gate = word["--params"] == "bf16", word["--gate"]
at = {"2": "compile", "3": "never", "4": "turn", "5": "hang"}
fail = at.get(word["--batch"]) if low and os.environ.get("FAIL") else None
said = os.path.join(os.path.dirname(__file__), "bin/said")
run, precision = word["--run"], word["--precision"]
ms = 125 if run == "tuned" else 150 if low else 200
name = f"torch.gpt2.b{word['--batch']}.{run}{'.bf16' if low else ''}"
if precision != "bf16":
    name, ms = f"{name}.{precision}", 250
if fail == "compile":
    sys.exit("no compiler")
if fail == "never":
    time.sleep(100)
open(gate + ".ready", "w").close()
turn = 1
while not os.path.exists(gate + ".end"):
    if os.path.exists(f"{gate}.go{turn}"):
        if fail == "turn":
            sys.exit("out of memory")
        if fail == "hang":
            time.sleep(100)
        open(said, "a").write(f"torch {word['--params']} {run} {precision}\n")
        print(f"{name}: {ms} ms")
        for key, value in ("step", ms), ("rate", 65536000 // ms):
            print(f"{name}.{key},{value},ms,a machine,a command,c0ffee,"
                  "2026-11-21", flush=True)
        open(f"{gate}.done{turn}", "w").close()
        turn += 1
    time.sleep(0.01)
END
run() {
    rm -f "$dir/bin/said" "$dir"/out/*
    python3 "${SCRIPT:-tests/reference/bench_steps.py}" --bin "$dir/bin" \
        --out "$dir/out" --peer "$dir/peer.py" --turn-s 1.5 --ready-s 2 "$@" \
        > "$dir/log" 2>&1
}
value() { awk -F, -v n="$2" '$1 == n { print $2 }' "$dir/out/$1-step.csv"; }
is() {              # text, file, name, value
    check "$1" test "$(value "$2" "$3")" = "$4" || cat "$dir/log"
}

check "three rounds" run --sizes gpt2:64:3
check "take turns" test "$(tail -n +2 "$dir/bin/said" | tr '\n' ',')" = \
    "$(printf 'ours 64,torch fp32 compile bf16,torch bf16 compile bf16,%.0s' \
        1 2 3)"
is "the first round has a row" gpu step.gpt2.b64.bf16.round1.time 100
is "and the last" gpu step.gpt2.b64.bf16.round3.time 104
is "the median of the three" gpu step.gpt2.b64.bf16.time 101
is "as exact as each of them" gpu step.gpt2.b64.bf16.given 1.013
is "the fastest of the fast" gpu step.gpt2.b64.bf16.low 99
is "the peer's" torch torch.gpt2.b64.compile.bf16.step 150
check "a row keeps where it is from" grep -q \
    '^step.gpt2.b64.bf16.time,101,ms,a machine,a command,c0ffee,2026-11-21$' \
    "$dir/out/gpu-step.csv"
is "how far we lead" gpu step.gpt2.b64.bf16.lead 1.485
is "in the first round" gpu step.gpt2.b64.bf16.round1.lead 1.5
check "the ratio is to the better one" grep -Eq \
    'gpt2 64 bf16 +101.00 +200.00 +150.00 +- .* 1.485$' "$dir/log"

check "in TF32" run --sizes gpt2:64:1:tf32,gpt2:8:1:fp32
check "ours and one PyTorch, and of both what was asked" test \
    "$(tail -n +2 "$dir/bin/said" | tr '\n' ',')" = \
    "ours 64 in tf32,torch fp32 compile tf32,ours 8 in fp32,torch fp32 compile fp32,"
is "ours has its rows" gpu step.gpt2.b64.tf32.time 300
is "and PyTorch" torch torch.gpt2.b64.compile.tf32.step 250
is "each of its own precision" torch torch.gpt2.b8.compile.fp32.step 250
is "how far we lag" gpu step.gpt2.b64.tf32.lead 0.8333
check "and a line of the table" grep -Eq \
    'gpt2 64 tf32 +300.00 +250.00 +- +- .* 0.833$' "$dir/log"

check "tuned" run --sizes gpt2:64:1,gpt2:8:1 --tuned gpt2:64
check "only where it is asked for" test "$(grep tuned "$dir/bin/said")" = \
    "torch bf16 tuned bf16"
is "the ratio is to the best of three" gpu step.gpt2.b64.bf16.lead 1.25
check "which are all in the table" grep -Eq \
    'gpt2 64 bf16 +100.00 +200.00 +150.00 +125.00 .* 1.250$' "$dir/log"
bad_sizes() {       # text, options...
    local text=$1
    shift
    refuses "$text" 1 "expected MODEL|not among" python3 \
        tests/reference/bench_steps.py --out "$dir/out" "$@"
}
bad_sizes "no number" --sizes gpt2:many
bad_sizes "a precision that is none" --sizes gpt2:64:1:fp8
bad_sizes "too many words" --sizes gpt2:64:1:tf32:2
bad_sizes "tuned without its size" --sizes gpt2:64 --tuned gpt2:16
bad_sizes "tuned in TF32" --sizes gpt2:64:1:tf32 --tuned gpt2:64:1:tf32

export FAIL=yes
check "peers that fail" run --sizes gpt2:2:2,gpt2:3:2,gpt2:4:2,gpt2:5:2
unset FAIL
is "half way between two, as exact as they" gpu step.gpt2.b4.bf16.given 1.007
for at in 2:compile 3:never 4:turn 5:hang; do
    b=${at%:*} how=${at#*:}
    is "one that fails ($how) leaves us" \
        gpu "step.gpt2.b$b.bf16.round2.time" 101
    is "and the other ($how)" \
        torch "torch.gpt2.b$b.compile.round2.step" 200
    is "and says nothing ($how)" torch "torch.gpt2.b$b.compile.bf16.step" ""
done
check "nothing stays" test -z "$(pgrep -f "$dir/peer.py")"
check "ours fails at one size" run --sizes gpt2:16:1,gpt2:64:1
is "and the other is there" gpu step.gpt2.b64.bf16.time 100
check "no time is left" run --sizes gpt2:64:3 --limit-s 0
is "for a second round" gpu step.gpt2.b64.bf16.round2.time ""
is "but for the first" gpu step.gpt2.b64.bf16.time 100

# A mistake of the script must change a row that is looked at above.
right=tests/reference/bench_steps.py
rounds=3
turns() { run --sizes gpt2:64:$rounds,gpt2:64:1:tf32 --tuned "gpt2:64:$rounds"; }
mistake() {         # what, sed expression, file and name of a row, its value
    sed "$2" $right > "$dir/mistaken.py"
    SCRIPT=$dir/mistaken.py turns
    if cmp -s $right "$dir/mistaken.py"; then
        not_ok "$1" "the lines to change are not there"
    elif [ "$(value "$3" "$4")" = "$5" ]; then
        not_ok "$1" "$4 is $5 as if nothing were wrong"
    else
        ok "caught: $1"
    fi
}
lead="gpu step.gpt2.b64.bf16.lead 1.238"
turns
# shellcheck disable=SC2086
is "the median against the best of three" $lead
# shellcheck disable=SC2086
{
mistake "ours always in bf16" \
    's/"1024", "--precision", precision,/"1024", "--precision", "bf16",/' \
    gpu step.gpt2.b64.tf32.time 300
mistake "PyTorch always in bf16" \
    's/"fp32", "--precision", precision,/"fp32", "--precision", "bf16",/' \
    torch torch.gpt2.b64.compile.tf32.step 250
mistake "the tuned one left out" 's/\["tuned"\] \*/[] */' $lead
mistake "a ratio to the worst" 's/best = max(/best = min(/' $lead
mistake "the last turn for all" 's/statistics.median)(/lambda v: v[-1])(/' $lead
mistake "the fastest turn for all" 's/statistics.median)(/min)(/' $lead
rounds=2
turns
is "half way" gpu step.gpt2.b64.bf16.given 1.007
mistake "digits that no turn had" 's/max(4, len(digits))/6/' \
    gpu step.gpt2.b64.bf16.given 1.007
}
touch "$dir/bin/wrong"
refuses "a step that is wrong" 1 'nothing is timed' \
    python3 tests/reference/bench_steps.py --bin "$dir/bin" --out "$dir/out" \
    --peer "$dir/peer.py" --sizes gpt2:64
finish
