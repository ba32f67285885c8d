#!/usr/bin/env python3
"""Time PyTorch on one token of GPT-2 in bf16: the peer of bench/decode.cu.

    python3 tests/reference/decode_torch.py --seconds 100 >> decode.csv

Random weights and a static KV cache of the context's length, which every
token reads whole.  A layer is compiled once (torch.compile), all layers take
it, and the whole token is captured in one CUDA graph; without --compile the
same graph is captured of eager operators.  The graph's logits are compared
with those of the eager model, of which the time is printed, too.  Prints a
row NAME,us for each time: median of 51, events on the device.
"""
import argparse
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZES = {"gpt2": (12, 12, 768), "gpt2-medium": (24, 16, 1024),
         "gpt2-large": (36, 20, 1280), "gpt2-xl": (48, 25, 1600)}
V = 50257


class Block(nn.Module):
    def __init__(self, heads, C, B, T):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.qkv, self.proj = nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.fc, self.mlp = nn.Linear(C, 4 * C), nn.Linear(4 * C, C)
        for name in "k", "v":
            self.register_buffer(name, torch.randn(B, heads, T, C // heads))

    def forward(self, x, at):
        B, C = x.shape
        q, k, v = (t.view(B, self.heads, 1, -1)
                   for t in self.qkv(self.ln_1(x)).split(C, dim=1))
        self.k.index_copy_(2, at, k)
        self.v.index_copy_(2, at, v)
        y = F.scaled_dot_product_attention(q, self.k, self.v)
        x = x + self.proj(y.reshape(B, C))
        return x + self.mlp(F.gelu(self.fc(self.ln_2(x)),
                                   approximate="tanh"))


class Decoder(nn.Module):
    def __init__(self, L, heads, C, B, T):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, C), nn.Embedding(T, C)
        self.blocks = nn.ModuleList(Block(heads, C, B, T) for _ in range(L))
        self.ln_f = nn.LayerNorm(C)

    def forward(self, tokens, at):
        x = self.wte(tokens) + self.wpe(at)
        for block in self.blocks:
            x = block(x, at)
        return F.linear(self.ln_f(x), self.wte.weight)


def median_us(work, runs=51):
    times = []
    for r in range(-3, runs):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        a.record()
        work()
        b.record()
        b.synchronize()
        if r >= 0:
            times.append(1000 * a.elapsed_time(b))
    return statistics.median(times)


def graph_of(model, tokens, at):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model(tokens, at)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = model(tokens, at)
    return graph, logits


def measure(name, B, T, compiled):
    torch.manual_seed(1)
    with torch.device("cuda"):
        torch.set_default_dtype(torch.bfloat16)
        model = Decoder(*SIZES[name], B, T).eval()
        for p in model.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        tokens = torch.randint(V, (B,))
        at = torch.tensor([T - 1])
    row = f"decode.torch.{name}.n{B}.at{T - 1}"
    want = model(tokens, at)
    if B == 1:
        print(f"{row}.eager,{median_us(lambda: model(tokens, at)):.1f}")
    if compiled:
        for block in model.blocks:
            block.compile(dynamic=False)
    graph, logits = graph_of(model, tokens, at)
    graph.replay()
    off = ((logits - want).float().norm() / want.float().norm()).item()
    if not off <= 0.03:
        sys.exit(f"{row}: the graph's logits are off by {off}")
    kind = "compiled" if compiled else "graph"
    print(f"{row}.{kind},{median_us(graph.replay):.1f}", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=100)
    a = p.parse_args()
    torch._dynamo.config.cache_size_limit = 64
    torch._inductor.config.coordinate_descent_tuning = True
    begin = time.time()
    jobs = [("gpt2-xl", 1, 1024, False), ("gpt2-xl", 1, 1024, True),
            ("gpt2", 1, 1024, True), ("gpt2-medium", 1, 1024, True),
            ("gpt2-large", 1, 1024, True), ("gpt2-xl", 8, 1024, True),
            ("gpt2-xl", 1, 64, True), ("gpt2-xl", 64, 1024, True)]
    with torch.no_grad():
        for job in jobs:
            if time.time() - begin > a.seconds:
                print(f"# no time for {job}", flush=True)
                continue
            try:
                measure(*job)
            except Exception as e:              # one row, not the table
                print(f"# {job}: {type(e).__name__}: {e}"[:300], flush=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    import torch._dynamo
    import torch._inductor.config
    main()
