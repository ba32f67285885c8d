#!/usr/bin/env python3
"""Runs in bf16, PyTorch's and ours, from the same weights but for their last
place: one table for the plot, and the rows that the book quotes.

    for s in 1 2 3 4; do
        build/tests-opt/run_inputs d6 train.bin 16 128 1000 1 1e-3 40 r$s $s
        python3 tests/reference/curves_torch.py --data train.bin --seq 128 \\
            --precision bf16 --val val.bin --run D/torch$s.csv r$s r$s.safetensors
        build/bin/train-cuda --precision bf16 --init r$s.safetensors \\
            --data train.bin --batch 16 --seq 128 --steps 1000 --seed 1 --lr 1e-3 \\
            --warmup 40 --val val.bin --val-every 50 --val-batches 8 \\
            --log D/ours$s.csv
    done
    COMMIT=... python3 tests/reference/curves_bf16.py D MACHINE figures/data

Writes curves-bf16.csv (mean loss of 20 steps) and replaces the rows
curves.bf16.* of curves.csv.
"""
import csv
import datetime
import glob
import os
import statistics
import sys

TEXT = ("train-cuda --precision bf16 --init r$s.safetensors "
        "--batch 16 --seq 128 --steps 1000 --seed 1 --lr 1e-3 --warmup 40 "
        "(ours); curves_torch.py on the same weights and windows (torch); "
        "TinyShakespeare in GPT-2's tokens; initial weights differ by 1e-7 "
        "of each")


def runs(folder, kind):
    """[(loss of each step, validation loss of the last)]"""
    result = []
    for path in sorted(glob.glob(f"{folder}/{kind}[0-9].csv")):
        with open(path) as f:
            rows = list(csv.DictReader(f))
        result.append(([float(r["loss"]) for r in rows],
                       float(rows[-1]["val_loss"])))
        if len(rows) != 1000:
            sys.exit(f"{path}: {len(rows)} steps, expected 1000")
    return result


def main():
    folder, machine, out = sys.argv[1:]
    both = {kind: runs(folder, kind) for kind in ("torch", "ours")}
    today, commit = datetime.date.today(), os.environ.get("COMMIT", "")
    with open(f"{out}/curves-bf16.csv", "w") as f:
        f.write(f"# machine: {machine}\n# command: {TEXT}; mean loss of 20 "
                f"steps\n# commit: {commit}\n# date: {today}\n")
        names = [f"{k}{i + 1}" for k in both for i in range(len(both[k]))]
        f.write(",".join(["step"] + names) + "\n")
        for s in range(0, 1000, 20):
            means = [statistics.mean(loss[s:s + 20])
                     for k in both for loss, _ in both[k]]
            f.write(",".join([str(s + 10)] + [f"{m:.4f}" for m in means])
                    + "\n")
    rows = []
    for kind, some in both.items():
        name = f"curves.bf16.{kind}"
        rows.append((f"curves.bf16.runs.{kind}", len(some)))
        for key, values in (
                ("", [statistics.mean(loss[100:]) for loss, _ in some]),
                ("last.", [statistics.mean(loss[980:]) for loss, _ in some]),
                ("val.", [val for _, val in some])):
            rows += [(f"{name}.{key}low", min(values)),
                     (f"{name}.{key}high", max(values)),
                     (f"{name}.{key}mean", statistics.mean(values)),
                     (f"{name}.{key}sd", statistics.stdev(values))]
    with open(f"{out}/curves.csv") as f:
        kept = [l for l in f if not l.startswith("curves.bf16.")]
    with open(f"{out}/curves.csv", "w") as f:
        f.writelines(kept)
        for name, value in rows:
            f.write(f"{name},{value:.4g},,{machine.replace(',', ';')},"
                    f"figures/data/curves-bf16.csv,{commit},{today}\n")


if __name__ == "__main__":
    main()
