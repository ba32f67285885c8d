#!/usr/bin/env python3
"""What PyTorch makes of the examples of the chapters on fusion and
recomputation: operation by operation (eager), and by torch.compile.

    python3 tests/reference/fusion_torch.py --out build/bench/fusion-torch.csv

For each of the two, the kernels that ran and their names, the words that they
move for each number of the input, and the time of a run with the L2 cache
overwritten before it.  Words: eager, the arguments and results of each
operation that is more than another view of its argument; compiled, what
Inductor says that its kernels access.  The compiled result is compared with
the eager one first; what differs is not timed.

  --out FILE.csv        append rows in the form of figures/data
  --machine TEXT        what the rows call the machine
  --only NAME           one example: waves, gelu, layernorm, loss, sigmoids
  --runs N              timed runs (31); the time is their median
  --small               small sizes, for a trial on a machine without a GPU;
                        nothing is timed, no kernels are counted
  --code DIR            keep what the compiler writes in DIR
"""
import argparse
import datetime
import os
import statistics
import subprocess


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="")
    p.add_argument("--machine", default="")
    p.add_argument("--only", default="")
    p.add_argument("--runs", type=int, default=31)
    p.add_argument("--small", action="store_true")
    p.add_argument("--code", default="")
    return p.parse_args()


OPT = options()
if OPT.code:                    # before torch is imported, for it reads them
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = OPT.code

import torch                                            # noqa: E402
import torch.nn.functional as F                         # noqa: E402
from torch._inductor import config, metrics             # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten            # noqa: E402

DEVICE = "cpu" if OPT.small else "cuda"
config.force_disable_caches = True      # else the words are not counted again


# ---- the examples ------------------------------------------------------------

def waves(x):
    return torch.sin(x) ** 2 + torch.cos(x) ** 2


def gelu(x, b):
    return F.gelu(x + b, approximate="tanh")


def layernorm(x, r, w, b):
    s = x + r
    return s, F.layer_norm(s, (s.shape[1],), w, b)


def loss(x, target):
    return F.cross_entropy(x, target, reduction="sum")


def sigmoids(x):
    return torch.sigmoid(torch.sigmoid(torch.sigmoid(x)))


def noise(*shape):
    return torch.rand(*shape, device=DEVICE) * 4 - 2


def examples():
    """Name, function, arguments, the gradient that comes in (or None: no
    backward pass), numbers of the input."""
    n = 1 << (12 if OPT.small else 27)
    x, dy = noise(n), noise(n)
    yield "waves", waves, (x,), None, n
    yield "sigmoids", sigmoids, (x.requires_grad_(),), dy, n
    del x, dy
    N, C = (1 << 15) // (1024 if OPT.small else 1), 3072
    yield "gelu", gelu, (noise(N, C), noise(C)), None, N * C
    N, C = (1 << 16) // (1024 if OPT.small else 1), 768
    yield ("layernorm", layernorm,
           (noise(N, C), noise(N, C), noise(C), noise(C)), None, N * C)
    N, C = 4096 // (256 if OPT.small else 1), 50257
    target = torch.randint(C, (N,), device=DEVICE)
    yield ("loss", loss, (noise(N, C).requires_grad_(), target),
           torch.ones((), device=DEVICE), N * C)


def run(f, arguments, gradient):
    """All results: those of f, and the gradient of its first argument."""
    y = f(*arguments)
    if gradient is None:
        return tree_flatten(y)[0]
    arguments[0].grad = None
    y.backward(gradient)
    return [y.detach(), arguments[0].grad]


# ---- words ---------------------------------------------------------------------

def tensors(tree):
    return [t for t in tree_flatten(tree)[0] if isinstance(t, torch.Tensor)]


def size(t):
    return min(t.numel() * t.element_size(), t.untyped_storage().nbytes())


class Words(TorchDispatchMode):
    """Bytes of the arguments and results of every operation."""

    def __init__(self):
        super().__init__()
        self.bytes = 0
        self.operations = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        came, went = tensors((args, kwargs)), tensors(result)
        owned = {t.untyped_storage().data_ptr() for t in came}
        in_place = func._schema.name.endswith("_")
        is_view = went and not in_place and all(
            t.untyped_storage().data_ptr() in owned for t in went)
        if not is_view:
            self.bytes += sum(map(size, came)) + sum(map(size, went))
            self.operations.append(func._schema.name.replace("aten::", ""))
        return result


# ---- kernels and time -----------------------------------------------------------

def kernels(work):
    """The names of the kernels of one run, in order."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities) as seen:
        work()
        torch.cuda.synchronize()
    events = [e for e in seen.events() if e.device_type == DeviceType.CUDA]
    events.sort(key=lambda e: e.time_range.start)
    return [e.name for e in events
            if not e.name.startswith(("Memcpy", "Memset"))]


def times(work):
    """Microseconds of each run."""
    flush = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
    found = []
    for r in range(-3, OPT.runs):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        flush.fill_(r & 255)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        if r >= 0:
            found.append(1e3 * start.elapsed_time(end))
    return sorted(found)


# ---- rows ------------------------------------------------------------------------

def commit():
    if os.environ.get("COMMIT"):
        return os.environ["COMMIT"]
    try:
        return subprocess.run(["git", "rev-parse", "--short", "HEAD"],
                              capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


ROWS = []


def row(name, value, unit):
    ROWS.append((f"fusion.torch.{name}", f"{value:.4g}", unit))


def write(path):
    machine = OPT.machine or torch.cuda.get_device_name()
    machine += f"; PyTorch {torch.__version__}"
    new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8") as f:
        if new:
            f.write("name,value,unit,machine,command,commit,date\n")
        for name, value, unit in ROWS:
            f.write(f"{name},{value},{unit},{machine.replace(',', ';')},"
                    f"tests/reference/fusion_torch.py,{commit()},"
                    f"{datetime.date.today()}\n")


def measure(name, mode, f, arguments, gradient, n, words):
    def work():
        return run(f, arguments, gradient)

    print(f"{name} {mode}: {words:.4g} words")
    row(f"{name}.{mode}.words", words, "")
    if OPT.small:
        return
    names, found = kernels(work), times(work)
    us = statistics.median(found)
    print(f"  {len(names)} kernels, {us:.1f} us ({found[0]:.1f} to "
          f"{found[-1]:.1f}), {4e-3 * n * words / us:.0f} GB/s")
    for kernel in names:
        print("   ", kernel[:100])
    row(f"{name}.{mode}.kernels", len(names), "")
    row(f"{name}.{mode}.us", us, "us")
    row(f"{name}.{mode}.fastest", found[0], "us")
    row(f"{name}.{mode}.slowest", found[-1], "us")


def main():
    torch.manual_seed(1)
    for name, f, arguments, gradient, n in examples():
        if OPT.only not in ("", name):
            continue
        with Words() as counted:
            wanted = run(f, arguments, gradient)
        measure(name, "eager", f, arguments, gradient, n,
                counted.bytes / 4 / n)
        print("   ", " ".join(counted.operations))
        torch._dynamo.reset()
        metrics.reset()
        compiled = torch.compile(f)
        found = run(compiled, arguments, gradient)
        for a, b in zip(wanted, found):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        del wanted, found
        measure(name, "compiled", compiled, arguments, gradient, n,
                metrics.num_bytes_accessed / 4 / n)
    if OPT.out and not OPT.small:
        write(OPT.out)


if __name__ == "__main__":
    main()
