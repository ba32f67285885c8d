#!/usr/bin/env python3
"""Whole steps of training on one GPU, ours and PyTorch's in turns.

    make bench-gpu              does this among other things; by itself:
    python3 tests/reference/bench_steps.py --out build/bench

Every size is timed as ours, PyTorch in autocast, PyTorch with bf16 weights,
ours, and so on; in tf32 and fp32 there is one PyTorch.  A chip under full
load slows down, and whoever is always timed after the other would pay for
both.  Correctness first: bench-step
refuses to time a model with a wrong loss or gradient, bench_torch_gpu.py one
whose loss does not fall.  PyTorch compiles before anything is timed, a
process for each size, all at the same time; then they wait with their
weights in memory and nothing running, and a turn is the only thing on the
device.

  --sizes MODEL:BATCH[:ROUNDS[:PRECISION]],...   what, how often (two turns
                        each), and in bf16, tf32 or fp32
  --tuned MODEL:BATCH,...   there a third PyTorch, with bf16 weights, takes
                        what its search for kernels finds for a block
                        (mode="max-autotune-no-cudagraphs")
  --bin DIR             where bench-step-cuda is
  --out DIR             rows into DIR/gpu-step.csv and DIR/torch-step.csv:
                        NAME.roundN.KEY for each turn, NAME.KEY their median,
                        and how many times the better peer's our rate is,
                        NAME.lead; written after every turn
  --limit-s S           begin no second or later round after so many seconds of
                        turns
  --ready-s S           wait so long for PyTorch's compiler
  --hold FILE           time nothing before FILE exists: until then something
                        else may use the device
  --machine TEXT        what our rows call the machine
  --ours                without PyTorch
  --peer SCRIPT         in place of bench_torch_gpu.py
  --turn-s S            a turn that takes longer has failed

A peer that fails to compile, or fails in its turn, is said and left out.
"""
import argparse
import csv
import importlib.util
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = ("gpt2:64:3,gpt2-large:16:2,gpt2-medium:32:2,gpt2:128:2,gpt2:16:2,"
         "gpt2:1:2,gpt2:64:2:tf32,gpt2:16:1:fp32")
NAMED = {"bf16": "", "tf32": ".tf32", "fp32": ".fp32"}   # in PyTorch's rows
COLUMNS = {"fp32": "fp32 w.", "bf16": "bf16 w.", "tuned": "tuned"}
START = time.monotonic()
BEST_LOW = {"low": min, "high": max}


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--sizes", default=SIZES)
    p.add_argument("--tuned", default="")
    p.add_argument("--bin", default="build/bin")
    p.add_argument("--out", required=True)
    p.add_argument("--steps", type=int, default=15)
    p.add_argument("--parts", type=int, default=3)
    p.add_argument("--limit-s", type=float, default=1e9)
    p.add_argument("--ready-s", type=float, default=300)
    p.add_argument("--hold")
    p.add_argument("--machine", default="")
    p.add_argument("--ours", action="store_true")
    p.add_argument("--peer")
    p.add_argument("--turn-s", type=float, default=40)
    return p.parse_args()


def say(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


class Rows:
    """A file of rows; of a name that comes again, the median."""

    def __init__(self, path):
        self.path, self.rows, self.rounds = path, {}, {}

    def add(self, turn, text):
        for row in csv.reader(text.splitlines()):
            if len(row) != 7 or row[0] == "name":
                continue
            name, _, key = row[0].rpartition(".")
            if ".part." not in row[0] and ".calls." not in row[0]:
                self.rows[f"{name}.round{turn}.{key}"] = row[1:]
                values = self.rounds.setdefault(row[0], [])
                values.append(float(row[1]))
                middle = BEST_LOW.get(key, statistics.median)(values)
                digits = row[1].split("e")[0].replace(".", "").lstrip("0")
                row[1] = f"{middle:.{max(4, len(digits))}g}"
            self.rows[row[0]] = row[1:]
        self.write()

    def value(self, name):
        return float(self.rows[name][0]) if name in self.rows else None

    def write(self):
        with open(self.path + ".new", "w") as f:
            f.write("name,value,unit,machine,command,commit,date\n")
            for name, rest in self.rows.items():
                f.write(",".join([name] + rest) + "\n")
        os.replace(self.path + ".new", self.path)


class Peer:
    """A process of bench_torch_gpu.py that compiles, then waits."""

    def __init__(self, o, gate, size, column):
        model, batch, precision = size
        low = column in ("bf16", "tuned")
        run = ("tuned" if column == "tuned"
               else "graph" if batch == 1 else "compile")
        suffix = ".bf16" if low else NAMED[precision]
        self.name = f"torch.{model}.b{batch}.{run}{suffix}"
        self.column, self.alive, self.said = column, True, 0
        self.gate, self.turn = f"{gate}/{self.name}", 0
        script = o.peer or f"{HERE}/bench_torch_gpu.py"
        command = [sys.executable, script, "--model", model, "--batch",
                   str(batch), "--run", run, "--params",
                   "bf16" if low else "fp32", "--precision", precision,
                   "--steps", str(o.steps), "--gate", self.gate]
        self.output, errors = (f"{o.out}/{self.name}.{kind}"
                               for kind in ("txt", "err"))
        with open(self.output, "w") as out, open(errors, "w") as err:
            self.process = subprocess.Popen(command, stdout=out, stderr=err,
                                            start_new_session=True)

    def ready(self):
        """Whether nothing is to be waited for any longer."""
        if self.alive and self.process.poll() is not None:
            say(f"{self.name} ended with {self.process.returncode}: see "
                f"{self.output[:-3]}err")
            self.alive = False
        return not self.alive or os.path.exists(self.gate + ".ready")

    def take_turn(self, rows, seconds):
        self.turn += 1
        open(f"{self.gate}.go{self.turn}", "w").close()
        end = time.monotonic() + seconds
        while not os.path.exists(f"{self.gate}.done{self.turn}"):
            if self.process.poll() is not None or time.monotonic() > end:
                say(f"{self.name} failed in its turn")
                self.end()
                return
            time.sleep(0.02)
        with open(self.output) as f:
            text = f.read()
        rows.add(self.turn, text[self.said:])
        say(text[self.said:].splitlines()[0])
        self.said = len(text)

    def end(self):
        self.alive = False
        if self.process.poll() is not None:
            return
        open(self.gate + ".end", "w").close()
        try:
            self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def bench_step(o, size, steps, parts):
    """Our rows and what was printed; None if it failed."""
    model, batch, precision = size
    out = f"{o.out}/bench-step.tmp.csv"
    if os.path.exists(out):
        os.unlink(out)
    command = [f"{o.bin}/bench-step-cuda", "--model", model, "--batch",
               str(batch), "--seq", "1024", "--precision", precision,
               "--steps", str(steps), "--parts", str(parts), "--out", out]
    if o.machine:
        command += ["--machine", o.machine]
    try:
        p = subprocess.run(command, capture_output=True, text=True,
                           timeout=o.turn_s)
        said, status = p.stdout + p.stderr, p.returncode
    except subprocess.TimeoutExpired:
        said, status = f"not done after {o.turn_s} s", 1
    if status:
        say(f"bench-step {model} {batch} {precision}: {said.strip()}")
        return None, said
    with open(out) as f:
        text = f.read()
    os.unlink(out)
    return text, said


def turn(o, size, peers, number, rows, theirs):
    """Ours, then each of PyTorch's."""
    text, said = bench_step(o, size, o.steps, o.parts if number == 1 else 0)
    if text:
        rows.add(number, text)
        say(next(l for l in said.splitlines() if "tok/s" in l))
        name = "step-{}-b{}-{}".format(*size)
        with open(f"{o.out}/{name}.{number}.txt", "w") as f:
            f.write(said)
    for p in peers:
        if p.alive:
            p.take_turn(theirs, o.turn_s)
    lead(size, peers, rows, theirs)


def lead(size, peers, rows, theirs):
    """Our rate over that of the better peer, in each round and in all."""
    name = "step.{}.b{}.{}".format(*size)
    for part in [""] + [f".round{n}" for n in range(1, 10)]:
        ours = rows.rows.get(f"{name}{part}.rate")
        best = max((theirs.value(f"{p.name}{part}.rate") or 0
                    for p in peers), default=0)
        if ours and best:
            rows.rows[f"{name}{part}.lead"] = [
                f"{float(ours[0]) / best:.4g}", "", ours[2],
                "tests/reference/bench_steps.py"] + ours[4:]
    rows.write()


def table(sizes, peers, rows, theirs):
    """A line for each size; `w.` are the weights of PyTorch's module."""
    print("\nms of a step" + " " * 12 + f"{'ours':>9}" + "".join(
        f"{title:>9}" for title in COLUMNS.values()) +
        f"{'our tok/s':>11}{'best peer':>11}{'ratio':>8}")
    for size in sizes:
        name = "step.{}.b{}.{}".format(*size)
        times = {p.column: theirs.value(p.name + ".step")
                 for p in peers[size]}
        best = max((theirs.value(p.name + ".rate") or 0
                    for p in peers[size]), default=0)
        step, rate = rows.value(name + ".time"), rows.value(name + ".rate")
        cells = [f"{t:9.2f}" if t else f"{'-':>9}"
                 for t in [step] + [times.get(c) for c in COLUMNS]]
        ratio = f"{rate / best:.3f}" if rate and best else "-"
        print(f"{'{} {} {}'.format(*size):24}" + "".join(cells) +
              f"{rate or 0:11.0f}{best:11.0f}{ratio:>8}")


def sizes_of(text):
    """(model, batch, precision) -> rounds."""
    sizes = {}
    for word in filter(None, text.split(",")):
        model, batch, *more = word.split(":")
        rounds, precision = (more + ["2", "bf16"][len(more):])[:2]
        if (len(more) > 2 or precision not in NAMED
                or not (batch + rounds).isdigit()):
            sys.exit(f"'{word}': expected MODEL:BATCH[:ROUNDS[:PRECISION]], "
                     f"the precision one of {', '.join(NAMED)}")
        sizes[model, int(batch), precision] = int(rounds)
    return sizes


def columns(size, tuned):
    """Which PyTorch there is beside this size of ours."""
    if size[2] != "bf16":
        return ["fp32"]
    return ["fp32", "bf16"] + ["tuned"] * (size in tuned)


def wait_for(o, peers):
    everyone = [p for ps in peers.values() for p in ps]
    waiting = list(everyone)
    while waiting or (o.hold and not os.path.exists(o.hold)):
        for p in [p for p in waiting if p.ready()]:
            waiting.remove(p)
            if p.alive:
                say(p.name + " is ready")
        if waiting and time.monotonic() - START > o.ready_s:
            for p in waiting:
                say(f"{p.name} is not ready, and is left out")
                p.end()
            waiting = []
        time.sleep(0.05)


def main():
    o = options()
    os.makedirs(o.out, exist_ok=True)
    sizes = sizes_of(o.sizes)
    tuned = sizes_of(o.tuned)
    for size in tuned:
        if size not in sizes or size[2] != "bf16":
            sys.exit("--tuned {}:{}: not among the sizes in bf16".format(
                *size))
    if not (o.ours or o.peer or importlib.util.find_spec("torch")):
        say("no PyTorch here: ours alone")
        o.ours = True
    rows = Rows(f"{o.out}/gpu-step.csv")
    theirs = Rows(f"{o.out}/torch-step.csv")
    gate = tempfile.mkdtemp(prefix="bench-steps-")
    peers = {size: [] for size in sizes}
    # timeout(1) sends this: no process of ours stays on the device
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        # the largest model compiles longest
        for size in sorted(sizes, key=lambda s: s[0], reverse=True):
            if not o.ours:
                peers[size] = [Peer(o, gate, size, column)
                               for column in columns(size, tuned)]
        if not bench_step(o, ("gpt2", 1, "bf16"), 3, 0)[0]:
            sys.exit("our step is wrong, or did not run: nothing is timed")
        say("our step has the right loss and gradient")
        wait_for(o, peers)
        start = time.monotonic()
        for number in range(1, max(sizes.values()) + 1):
            for size, rounds in sizes.items():
                if number > rounds:
                    continue
                if number > 1 and time.monotonic() - start > o.limit_s:
                    say("no time for round {} of {} {} {}".format(number,
                                                                  *size))
                    continue
                turn(o, size, peers[size], number, rows, theirs)
                if number == rounds:            # its memory to the others
                    for p in peers[size]:
                        p.end()
        table(sizes, peers, rows, theirs)
    finally:
        for p in (p for ps in peers.values() for p in ps):
            p.end()


if __name__ == "__main__":
    main()
