#!/usr/bin/env python3
"""Time PyTorch on the training step that `make bench` times for us.

    python3 tests/reference/bench_torch_cpu.py [THREADS [STEPS]]

GPT-2 124M from transformers, random weights and tokens, B=4, T=64, float32,
forward, backward and fused AdamW; eager and torch.compile.  Prints one line
for each: median, minimum and maximum of the steps, in seconds.  Run it in
the same session as build/bin/bench-cpu with the same OMP_NUM_THREADS.
"""
import statistics
import sys
import time

import torch
import transformers

B, T, V = 4, 64, 50257


def step_times(model, optimizer, steps):
    times = []
    for step in range(steps + 3):
        tokens = torch.randint(V, (B, T + 1))
        start = time.perf_counter()
        logits = model(input_ids=tokens[:, :-1], use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(
            logits.reshape(-1, V), tokens[:, 1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step >= 3:
            times.append(time.perf_counter() - start)
    return times


def main(threads, steps):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    config._attn_implementation = "sdpa"
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, "
          f"GPT-2 124M B={B} T={T} float32, {steps} steps")
    for name in "eager", "compiled":
        model = transformers.GPT2LMHeadModel(config).train()
        run = model if name == "eager" else torch.compile(model)
        adamw = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        t = step_times(run, adamw, steps)
        print(f"{name:9s} median {statistics.median(t):.3f} s  "
              f"min {min(t):.3f}  max {max(t):.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2,
         int(sys.argv[2]) if len(sys.argv) > 2 else 10)
