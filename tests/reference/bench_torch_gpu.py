#!/usr/bin/env python3
"""Time PyTorch's training step of GPT-2 on a GPU: the peer that our own step
is compared with.

    python3 tests/reference/bench_torch_gpu.py --model gpt2 --batch 64 --seq 1024

A whole step of training on random tokens: forward, backward, the norm of
the gradients and clipping, fused AdamW.  The vocabulary is padded to 50304.
Unless told otherwise, parameters are fp32 and products bf16, by autocast.

  --run compile|blocks|eager|graph|tuned
                        torch.compile of the whole model; of a block and of
                        the loss, which takes seconds where 36 layers take
                        minutes; none; of the whole with
                        mode="reduce-overhead" (CUDA graphs); of a block with
                        mode="max-autotune-no-cudagraphs" and of the loss
                        without, for the kernels that are tried fail where a
                        matrix has more than 2^31 numbers
  --params fp32|bf16    bf16: the module itself in bf16, its optimiser works
                        on fp32 masters that are rounded back every step
  --precision bf16|tf32|fp32    tf32, fp32: everything is stored in fp32, and
                        products may, or may not, round what they read
  --attention default|flash|cudnn   what scaled_dot_product_attention takes
  --steps N             timed steps, after eight of warm-up
  --sizes B:T,...       the same model with these batches, too (use eager)
  --profile FILE        then the profiler's table of one more step
  --gate DIR/NAME       several of these stand ready on one GPU and are timed
                        in turns, which bench_steps.py gives: DIR/NAME.ready
                        says that this one is, DIR/NAME.go1 starts its first
                        turn, which ends with DIR/NAME.done1, and so on

Prints one line, and rows in the form of figures/data: the time between the
starts of consecutive steps on the device (events; median, quartiles), what
the host needs to issue a step, tokens a second, memory.
"""
import argparse
import contextlib
import datetime
import fcntl
import os
import statistics
import sys
import time

import torch

from gpt2_torch import SIZES, GPT2, adamw, attention_of

VOCABULARY = 50304
PEAK = {"bf16": 989.4e12, "tf32": 494.7e12, "fp32": 67e12}     # H200, dense
WARM = 8                                # steps before the timed ones


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="gpt2", choices=SIZES)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--seq", type=int, default=1024)
    p.add_argument("--run", default="compile",
                   choices=("compile", "blocks", "eager", "graph", "tuned"))
    p.add_argument("--params", default="fp32", choices=("fp32", "bf16"))
    p.add_argument("--precision", default="bf16", choices=PEAK)
    p.add_argument("--attention", default="default",
                   choices=("default", "flash", "cudnn"))
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--sizes", default="", help="B:T,B:T: time these, too")
    p.add_argument("--profile")
    p.add_argument("--gate")
    o = p.parse_args()
    if o.params != "fp32" and o.precision != "bf16":
        p.error(f"--precision {o.precision} has no bf16 parameters")
    return o


def compiled(model, run):
    mode = {"graph": "reduce-overhead",
            "tuned": "max-autotune-no-cudagraphs"}.get(run)
    if run in ("blocks", "tuned"):
        for block in model.h:
            block.compile(mode=mode)
        model.loss = torch.compile(model.loss)
    if run in ("compile", "graph"):
        return torch.compile(model, mode=mode)
    return model


class Step:
    """One step: tokens on the device in, loss on the device out."""

    def __init__(self, o):
        self.low = o.params == "bf16"
        self.cast = o.precision == "bf16" and not self.low
        self.graph = o.run == "graph"
        torch.manual_seed(1)
        self.model = GPT2(*SIZES[o.model], VOCABULARY, 1024).cuda()
        if self.low:
            self.master = GPT2(*SIZES[o.model], VOCABULARY, 1024).cuda()
            self.master.load_state_dict(self.model.state_dict())
            self.model.bfloat16()
            self.pairs = list(zip(self.master.parameters(),
                                  self.model.parameters()))
            for m, _ in self.pairs:
                m.grad = torch.zeros_like(m)
        self.adamw = adamw(self.master if self.low else self.model, lr=1e-4)
        self.run = compiled(self.model, o.run)

    def __call__(self, tokens, targets):
        if self.graph:
            torch.compiler.cudagraph_mark_step_begin()
        with torch.autocast("cuda", torch.bfloat16, enabled=self.cast):
            loss = self.run(tokens, targets)
        loss.backward()
        if self.low:
            masters, lows = zip(*self.pairs)
            torch._foreach_copy_([m.grad for m in masters],
                                 [p.grad for p in lows])
            torch.nn.utils.clip_grad_norm_(masters, 1.0)
            self.adamw.step()
            with torch.no_grad():
                torch._foreach_copy_(list(lows), list(masters))
            self.model.zero_grad(set_to_none=True)
        else:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.adamw.step()
            self.model.zero_grad(set_to_none=True)
        return loss


def measure(step, batches, steps):
    """ms between starts on the device, and ms wall, of steps in a row."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for i in range(steps):
        events[i].record()
        step(*batches[i % len(batches)])
    events[steps].record()
    torch.cuda.synchronize()
    wall = 1e3 * (time.perf_counter() - begin) / steps
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])], wall


def issue(step, batch):
    """ms until the host has issued a step; the device is idle before it, so
    that no full queue holds the host up."""
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step(*batch)
        times.append(1e3 * (time.perf_counter() - start))
    torch.cuda.synchronize()
    return statistics.median(times)


def rows(o, name, values):
    import platform
    machine = (f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}; "
               f"CUDA {torch.version.cuda}; Python {platform.python_version()}")
    words = sys.argv[1:]
    for hidden in "--gate", "--profile":        # of no effect on the times
        if hidden in words:
            at = words.index(hidden)
            del words[at:at + 2]
    command = " ".join(["bench_torch_gpu.py"] + words)
    for key, value, unit in values:
        print(f"{name}.{key},{value},{unit},{machine.replace(',', ';')},"
              f"{command},{os.environ.get('COMMIT', '')},"
              f"{datetime.date.today()}", flush=True)


def compile_alone(step, batch):
    """Compile, in the host's memory and nearly none of the device's, so that
    many can do it at the same time: the first step may allocate no more than
    a gigabyte, and ends there.  The compiled code stays."""
    import torch._functorch.config as config
    if hasattr(config, "force_non_lazy_backward_lowering"):
        config.force_non_lazy_backward_lowering = True  # backward now, too
    total = torch.cuda.get_device_properties(0).total_memory
    have = torch.cuda.memory_reserved() + 2 ** 30
    torch.cuda.set_per_process_memory_fraction(have / total)
    try:
        step(*batch)
    except Exception as e:
        print(f"compiled, then {type(e).__name__}", file=sys.stderr)
    torch.cuda.set_per_process_memory_fraction(1.0)
    step.model.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()


@contextlib.contextmanager
def alone(gate):
    """Of all that wait at the same gate one at a time."""
    if not gate:
        yield
        return
    os.makedirs(os.path.dirname(gate), exist_ok=True)
    with open(os.path.dirname(gate) + "/device", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield
        torch.cuda.empty_cache()


def turns(gate):
    """1, 2, ...: one at a time, when the gate says so; none after its end,
    or when the program that opens it is gone."""
    if not gate:
        yield 1
        return
    parent, turn = os.getppid(), 1
    open(f"{gate}.ready", "w").close()
    while os.getppid() == parent and not os.path.exists(f"{gate}.end"):
        if os.path.exists(f"{gate}.go{turn}"):
            yield turn
            torch.cuda.empty_cache()
            open(f"{gate}.done{turn}", "w").close()
            turn += 1
        time.sleep(0.02)


def save_profile(path, step, batch):
    """Two tables: rows by time on the device, rows by time of the host.
    The columns are torch.profiler's, without their shares and averages."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU,
                             ProfilerActivity.CUDA]) as p:
        step(*batch)
        torch.cuda.synchronize()
    rows = [(e.key, e.self_cpu_time_total, e.cpu_time_total,
             e.self_device_time_total, e.device_time_total, e.count)
            for e in p.key_averages()]
    with open(path, "w") as f:
        for column, n in (3, 14), (1, 10):
            f.write(f"{'ms':<31}{'Self CPU':>9}{'CPU total':>10}"
                    f"{'Self CUDA':>10}{'CUDA total':>11}{'Calls':>6}\n")
            for r in sorted(rows, key=lambda r: -r[column])[:n]:
                name = r[0] if len(r[0]) < 31 else r[0][:28] + "..."
                f.write(f"{name:<31}{r[1] / 1e3:9.3f}{r[2] / 1e3:10.3f}"
                        f"{r[3] / 1e3:10.3f}{r[4] / 1e3:11.3f}{r[5]:6d}\n")
            f.write("\n")
        cpu, cuda = (sum(r[i] for r in rows) / 1e3 for i in (1, 3))
        f.write(f"Self CPU, sum: {cpu:.3f} ms; Self CUDA, sum of a column in "
                f"which a kernel\nand the operator that launched it are "
                f"both rows: {cuda:.3f} ms\n")


def random_batches(batch, seq):
    data = [torch.randint(50257, (batch, seq + 1), device="cuda")
            for _ in range(4)]
    return [(t[:, :-1].contiguous(), t[:, 1:].contiguous()) for t in data]


def report(o, step, batch, seq, device, wall, more, host=None):
    ms = statistics.median(device)
    low, _, high = statistics.quantiles(device, n=4)
    L, _, C = SIZES[o.model]
    n = sum(p.numel() for p in step.model.parameters()) \
        - 1024 * C - (VOCABULARY - 50257) * C
    rate = batch * seq / ms * 1e3
    mfu = 100 * rate * (6 * n + 12 * L * C * seq) / PEAK[o.precision]
    name = f"torch.{o.model}.b{batch}.{o.run}"
    name += "" if o.params == "fp32" else ".bf16"
    name += "" if o.precision == "bf16" else f".{o.precision}"
    name += "" if o.attention == "default" else f".{o.attention}"
    name += "" if seq == 1024 else f".t{seq}"
    print(f"{name}: {ms:.2f} ms ({low:.2f} to {high:.2f}), wall {wall:.2f}; "
          f"{rate:.0f} tok/s, MFU {mfu:.1f} %", flush=True)
    if host:
        more = [("host", f"{host:.4g}", "ms")] + more
    rows(o, name, [("step", f"{ms:.4g}", "ms"), ("low", f"{low:.4g}", "ms"),
                   ("high", f"{high:.4g}", "ms"),
                   ("wall", f"{wall:.4g}", "ms"),
                   ("rate", f"{rate:.0f}", "tok/s"),
                   ("mfu", f"{mfu:.1f}", "%")] + more)


def train(o, step, batches):
    """The first steps: compiled, and seen to learn."""
    start = time.perf_counter()
    if o.gate and o.run == "tuned":         # tries kernels at their full size
        step(*batches[0])
    elif o.gate and o.run != "graph":
        compile_alone(step, batches[0])
    taken = time.perf_counter() - start
    with alone(o.gate):
        start = time.perf_counter()
        first = step(*batches[0]).item()
        for i in range(5):
            last = step(*batches[0]).item()
        torch.cuda.synchronize()
        taken += time.perf_counter() - start
    if not (10 < first < 12 and last < first):
        sys.exit(f"loss {first} then {last}: this is not training")
    return taken


def main():
    o = options()
    torch.set_float32_matmul_precision(
        "highest" if o.precision == "fp32" else "high")
    step = Step(o)
    batches = random_batches(o.batch, o.seq)
    with attention_of(o.attention):
        compile_s = train(o, step, batches)
        for turn in turns(o.gate):
            torch.cuda.reset_peak_memory_stats()
            for i in range(WARM):
                step(*batches[i % 4])
            times = measure(step, batches, o.steps)
            memory = torch.cuda.max_memory_allocated()
            report(o, step, o.batch, o.seq, *times,
                   [("memory", f"{memory / 1e9:.2f}", "GB"),
                    ("compile", f"{compile_s:.0f}", "s")],
                   issue(step, batches[0]) if turn == 1 else None)
        if o.profile:
            save_profile(o.profile, step, batches[0])
        for size in filter(None, o.sizes.split(",")):
            B, T = (int(n) for n in size.split(":"))
            batches = random_batches(B, T)
            for i in range(4):
                step(*batches[i])
            times = measure(step, batches, o.steps)
            report(o, step, B, T, *times, [], issue(step, batches[0]))


if __name__ == "__main__":
    main()
