#!/usr/bin/env python3
"""The loss curve of a run of `train`, repeated by PyTorch.

    tests-opt/run_inputs d6 train.bin B T STEPS SEED LR WARMUP run
    python3 tests/reference/curves_torch.py --data train.bin --model d6 \\
        --seq T --precision fp32 --run OUT.csv run run.safetensors

The same initial weights, windows and rates as ours (run.safetensors, run.csv
of tests/run_inputs.c), AdamW as ours (0.9, 0.95, decay 0.1 of matrices, norm
clipped to 1), no dropout.  Not compiled: what runs is what is written here.

  --precision fp64|fp32|tf32|bf16   bf16: autocast over fp32 parameters
  --run LOG INPUTS WEIGHTS      may be repeated: one run after the other
  --val SHARD --val-every N --val-batches N

Writes step,loss,val_loss,norm, and prints the last row.
"""
import argparse
import csv
import time

import numpy
import torch

from gpt2_torch import SIZES, GPT2, adamw, load

VOCABULARY = 50257


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--run", required=True, nargs=3, action="append")
    p.add_argument("--val")
    p.add_argument("--model", default="d6", choices=SIZES)
    p.add_argument("--seq", type=int, required=True)
    p.add_argument("--precision", default="fp32",
                   choices=("fp64", "fp32", "tf32", "bf16"))
    p.add_argument("--val-every", type=int, default=50)
    p.add_argument("--val-batches", type=int, default=8)
    p.add_argument("--eager", action="store_true", help="no CUDA graph")
    p.add_argument("--limit-s", type=float, default=1e9,
                   help="stop then, and write what there is")
    return p.parse_args()


def windows(path, T):
    """[n, T + 1]: each window and the token after it."""
    tokens = torch.from_numpy(
        numpy.fromfile(path, dtype="<u2", offset=1024).astype("int64"))
    n = (len(tokens) - 1) // T
    return torch.stack([tokens[i * T:(i + 1) * T + 1] for i in range(n)])


def build(o, weights):
    model = GPT2(*SIZES[o.model], VOCABULARY, 1024)
    load(model, weights)
    return model.to("cuda", torch.float64 if o.precision == "fp64"
                    else torch.float32)


def captured(step, optimizer):
    """A whole step as a CUDA graph: of a model this small the host would
    else be the slow one.  Rate 0 while it warms up, moments zero after."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    for state in optimizer.state.values():
        for t in state.values():
            t.zero_()

    def replay():
        graph.replay()
        return result
    return replay


def run(o, log, inputs, weights):
    model = build(o, weights)
    rate = torch.zeros((), device="cuda")
    optimizer = adamw(model, lr=rate, capturable=True)
    with open(inputs + ".csv") as f:
        steps = list(csv.DictReader(f))
    orders = torch.tensor([[int(w) for w in s["windows"].split()]
                           for s in steps], device="cuda")
    rates = torch.tensor([float(s["lr"]) for s in steps], device="cuda")
    text = windows(o.data, o.seq).cuda()
    val = windows(o.val, o.seq).cuda() if o.val else None
    results = torch.zeros(len(steps), 2, device="cuda", dtype=torch.float64)
    val_losses = {}

    def loss_of(batch):
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False,
                            enabled=o.precision == "bf16"):
            return model(batch[:, :-1], batch[:, 1:])

    batch = text[orders[0]]

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(batch)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach(), norm

    if not o.eager:
        step = captured(step, optimizer)
    torch.cuda.synchronize()
    start, done = time.monotonic(), 0
    for i in range(len(steps)):
        batch.copy_(text[orders[i]])
        rate.copy_(rates[i])
        results[i, 0], results[i, 1] = step()
        if val is not None and (i + 1) % o.val_every == 0:
            B = len(batch)
            with torch.no_grad():
                parts = [loss_of(val[b * B:(b + 1) * B]).double()
                         for b in range(o.val_batches)]
            val_losses[i] = torch.stack(parts).mean().item()
        done = i + 1
        if time.monotonic() - start > o.limit_s:
            break
    with open(log, "w") as f:
        f.write("step,loss,val_loss,norm\n")
        for i, (loss, norm) in enumerate(results[:done].tolist()):
            v = f"{val_losses[i]:.6f}" if i in val_losses else ""
            row = f"{i + 1},{loss:.9g},{v},{norm:.9g}"
            f.write(row + "\n")
    print(log, row, f"{time.monotonic() - start:.1f} s", flush=True)


def main():
    o = options()
    torch.backends.cuda.matmul.allow_tf32 = o.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = o.precision == "tf32"
    for log, inputs, weights in o.run:
        run(o, log, inputs, weights)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
