#!/usr/bin/env python3
"""Whole steps of training on one GPU, ours and llm.c's in turns.

    git clone https://github.com/karpathy/llm.c DIR          (yours)
    python3 tests/reference/bench_llmc.py --llmc DIR --build
    python3 tests/reference/bench_llmc.py --llmc DIR --out build/bench

llm.c has attention of its own, and with a clone of cudnn-frontend (and cuDNN)
that of cuDNN.  --build makes both, mb-own and mb-cudnn, in a copy of the
checkout, DIR/mb, with two changes that CUDA 13 needs: cudaMemAdvise takes a
cudaMemLocation now, and cudnn-frontend calls NVRTC.

All programs train GPT-2 124M from random weights.  Ours takes random tokens,
each as likely as any other.  For the embedding's gradient llm.c makes a list
of the rows of each token on the host, which takes it longer the more
different tokens there are, so llm.c gets tokens that are as unequal as those
of a text: the k-th is drawn with a probability of 1/k.  llm.c keeps what it can for the backward pass (-r 0) and has
fp32 master weights (-w 1), as ours.  Of llm.c's steps the first ten are left
out.

  --llmc DIR            the checkout
  --frontend DIR        cudnn-frontend's include/ (with --build)
  --build               compile and end
  --bin DIR             where bench-step-cuda is
  --out DIR             rows into DIR/llmc-step.csv: NAME.roundN.step for each
                        turn, NAME.step their median
  --batch B  --seq T  --rounds N  --steps N
  --machine TEXT        what the rows call the machine
"""
import argparse
import array
import datetime
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

LINE = re.compile(r"^step +(\d+)/\d+ \| loss ([\d.naif+-]+).*\| ([\d.]+) ms")
ADVISE = ("cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId)",
          "cudaMemAdviseSetPreferredLocation, "
          "cudaMemLocation{cudaMemLocationTypeHost, 0})")
FIRST = 10                              # steps that are not counted


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--llmc", required=True)
    p.add_argument("--frontend", default="")
    p.add_argument("--build", action="store_true")
    p.add_argument("--bin", default="build/bin")
    p.add_argument("--out", default="build/bench")
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--seq", type=int, default=1024)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--steps", type=int, default=40)
    p.add_argument("--machine", default="")
    return p.parse_args()


def stop(text):
    sys.exit(f"bench_llmc: {text}")


def build(o):
    copy = f"{o.llmc}/mb"
    if not os.path.exists(f"{o.llmc}/train_gpt2.cu"):
        stop(f"{o.llmc}: no train_gpt2.cu there; --llmc takes a checkout "
             "of llm.c")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(o.llmc, copy, ignore=shutil.ignore_patterns(
        "mb", ".git", "cudnn-frontend"))
    path = f"{copy}/llmc/cuda_utils.cuh"
    with open(path) as f:
        text = f.read()
    if ADVISE[0] in text:
        with open(path, "w") as f:
            f.write(text.replace(*ADVISE))
    make = ["make", "-B", "train_gpt2cu", "NO_MULTI_GPU=1"]
    subprocess.run(make, cwd=copy, check=True)
    os.rename(f"{copy}/train_gpt2cu", f"{o.llmc}/mb-own")
    if o.frontend:
        os.makedirs(f"{copy}/cudnn-frontend")
        os.symlink(os.path.abspath(o.frontend),
                   f"{copy}/cudnn-frontend/include")
        subprocess.run(make + ["USE_CUDNN=1", "NVCC_LDFLAGS=-lcublas "
                               "-lcublasLt -lcudnn -lnvrtc -lcuda"],
                       cwd=copy, check=True)
        os.rename(f"{copy}/train_gpt2cu", f"{o.llmc}/mb-cudnn")


def write_tokens(path, n):
    """A shard, of random tokens that are as unequal as those of a text."""
    draw = random.Random(5)
    weights = [1 / k for k in range(1, 50258)]
    head = array.array("i", [20240520, 1, n] + [0] * 253)
    tokens = array.array("H", draw.choices(range(50257), weights, k=n))
    with open(path, "wb") as f:
        head.tofile(f)
        tokens.tofile(f)


def llmc_step(o, program, shard):
    """The median time of a step in ms."""
    p = subprocess.run(
        [program, "-i", shard, "-j", shard, "-e", "d12", "-b", str(o.batch),
         "-t", str(o.seq), "-d", str(o.batch * o.seq), "-x", str(o.steps),
         "-v", "1000000", "-m", "1", "-s", "0", "-h", "0", "-r", "0",
         "-w", "1"],
        capture_output=True, text=True, timeout=120)
    steps = [m for m in map(LINE.match, p.stdout.splitlines()) if m]
    if p.returncode or len(steps) != o.steps:
        stop(f"{program} ended with {p.returncode}: "
             f"{(p.stdout + p.stderr)[-800:]}")
    losses = [float(m[2]) for m in steps]
    if not all(5 < loss < 12 for loss in losses):
        stop(f"{program}: losses {losses}; a new GPT-2 on random tokens "
             "has about 10.8 to 11")
    return statistics.median(float(m[3]) for m in steps[FIRST:])


def our_step(o):
    p = subprocess.run(
        [f"{o.bin}/bench-step-cuda", "--model", "gpt2", "--batch",
         str(o.batch), "--seq", str(o.seq), "--precision", "bf16", "--steps",
         str(o.steps - FIRST), "--parts", "0", "--out",
         f"{o.out}/bench-llmc.tmp.csv"], capture_output=True, text=True,
        timeout=120)
    if p.returncode:
        stop(f"bench-step-cuda ended with {p.returncode}: {p.stderr}")
    path = f"{o.out}/bench-llmc.tmp.csv"
    with open(path) as f:
        rows = [line.split(",") for line in f]
    os.unlink(path)
    return next(float(r[1]) for r in rows if r[0].endswith(".time"))


def main():
    o = options()
    if o.build:
        return build(o)
    os.makedirs(o.out, exist_ok=True)
    programs = {k: f"{o.llmc}/mb-{k}" for k in ("own", "cudnn")
                if os.path.exists(f"{o.llmc}/mb-{k}")}
    if not programs:
        stop(f"{o.llmc}: neither mb-own nor mb-cudnn; --build makes them")
    shard = f"{o.out}/bench-llmc.bin"
    write_tokens(shard, o.steps * o.batch * o.seq + 1)
    times = {name: [] for name in ["ours", *programs]}
    for turn in range(o.rounds):
        for name in times:
            ms = llmc_step(o, programs[name], shard) \
                if name in programs else our_step(o)
            times[name].append(ms)
            print(f"round {turn + 1}  {name:6} {ms:8.2f} ms  "
                  f"{o.batch * o.seq / ms:7.1f} k tok/s", flush=True)
    os.unlink(shard)
    write_rows(o, times)


def write_rows(o, times):
    commit = os.environ.get("COMMIT", "")
    tail = [o.machine, f"bench_llmc.py --batch {o.batch} --seq {o.seq} "
            f"--steps {o.steps} --rounds {o.rounds}", commit,
            datetime.date.today().isoformat()]
    with open(f"{o.out}/llmc-step.csv", "w") as f:
        f.write("name,value,unit,machine,command,commit,date\n")
        for name, ms in times.items():
            at = f"llmc.b{o.batch}.{name}"
            for i, t in enumerate(ms):
                f.write(",".join([f"{at}.round{i + 1}.step", f"{t:.5g}",
                                  "ms", *tail]) + "\n")
            f.write(",".join([f"{at}.step", f"{statistics.median(ms):.5g}",
                              "ms", *tail]) + "\n")


main()
