#!/usr/bin/env python3
"""What PyTorch makes of the examples of the chapters on fusion and
recomputation: operation by operation (eager), and by torch.compile.

    python3 tests/reference/fusion_torch.py --out build/bench/fusion-torch.csv

For each of the two, the kernels that ran and their names, the words that they
move for each number of the input, and the time of a run with the L2 cache
overwritten before it.  Words: eager, the arguments and results of each
operation that is more than another view of its argument; compiled, what
Inductor says that its kernels access (it says so twice: for its graph, which
is the row `words`, and in the code of each kernel, which is printed).  The
compiled result is compared with the eager one first; what differs is not
timed.  With --ncu, a second process runs everything once more under the
profiler, which counts the bytes between the chip and its memory: row `dram`,
in words as well.

  --out FILE.csv        append rows in the form of figures/data
  --machine TEXT        what the rows call the machine
  --only NAME           one example: waves, gelu, layernorm, loss, sigmoids
  --runs N              timed runs (31); the time is their median
  --small               small sizes, for a trial on a machine without a GPU;
                        nothing is timed, no kernels are counted
  --code DIR            keep what the compiler writes in DIR
  --ncu                 count the bytes of the memory too (needs ncu and the
                        right to read the counters)
"""
import argparse
import csv
import datetime
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="")
    p.add_argument("--machine", default="")
    p.add_argument("--only", default="")
    p.add_argument("--runs", type=int, default=31)
    p.add_argument("--small", action="store_true")
    p.add_argument("--code", default="")
    p.add_argument("--ncu", action="store_true")
    p.add_argument("--counted", action="store_true",
                   help="what --ncu starts: run each once, time nothing")
    return p.parse_args()


OPT = options()
if OPT.code:                    # before torch is imported, for it reads them
    os.makedirs(OPT.code, exist_ok=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.abspath(OPT.code)
if OPT.counted:                 # no processes beside the one that is counted
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"

import torch                                            # noqa: E402
import torch.nn.functional as F                         # noqa: E402
from torch._inductor import config                      # noqa: E402
from torch._inductor.graph import GraphLowering         # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten            # noqa: E402

DEVICE = "cpu" if OPT.small else "cuda"
config.force_disable_caches = True      # else the words are not counted again
config.benchmark_kernel = True          # each kernel's code states its bytes


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


class Inductor:
    """What Inductor says of the graphs that it compiles: their bytes, and
    the code of their kernels.  Its own sum of the bytes is made only if it
    is to be logged, so it is asked for here."""

    def __init__(self):
        self.graph_bytes = 0
        self.code = []
        self.compile = GraphLowering.compile_to_module

    def __enter__(self):
        def compile_to_module(graph, *args, **kwargs):
            module = self.compile(graph, *args, **kwargs)
            try:
                self.graph_bytes += int(graph.count_bytes()[0])
            except Exception as e:      # not a function that others may call
                print("count_bytes:", repr(e))
            with open(module.__file__, encoding="utf-8") as f:
                self.code.append(f.read())
            return module
        GraphLowering.compile_to_module = compile_to_module
        return self

    def __exit__(self, *error):
        GraphLowering.compile_to_module = self.compile

    def kernel_bytes(self):
        gb = re.findall(r"'kernel_num_gb': ([0-9.e+-]+)", "".join(self.code))
        return 1e9 * sum(map(float, gb))

    def accesses(self):
        """A line for each kernel: its loads and stores, by argument."""
        pattern = r"def (triton_\w+)\(|tl\.(load|store)\((\w+)"
        lines = []
        for kernel, kind, where in re.findall(pattern, "".join(self.code)):
            if kernel:
                lines.append(kernel + ":")
            elif lines:
                lines[-1] += f" {kind} {where}"
        return lines


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
    """Microseconds of each run.  The GPU waits before each, so that all of
    the run's kernels are in the queue when the first one starts."""
    flush = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
    found = []
    for r in range(-3, OPT.runs):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        flush.fill_(r & 255)
        torch.cuda._sleep(8_000_000)
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


# ---- bytes of the memory ---------------------------------------------------------

def count_here(name, mode, work):
    """Run the work once between two marks in the profiler's list."""
    work()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    torch.cuda._sleep(1)                # spin_kernel in the list: a new name
    work()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()
    print("counted", name, mode, flush=True)


def count_by_ncu(sizes):
    """Start this script under ncu; give it all names again."""
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    metric = "dram__bytes_{}.sum"
    with tempfile.TemporaryDirectory() as d:
        log = os.path.join(d, "ncu.csv")
        command = [ncu, "--csv", "--log-file", log, "--print-units", "base",
                   "--profile-from-start", "off",
                   "--target-processes", "application-only", "--metrics",
                   ",".join(map(metric.format, ("read", "write"))),
                   sys.executable, os.path.abspath(__file__), "--counted"]
        if OPT.only:
            command += ["--only", OPT.only]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(log):
            print("ncu failed:", done.stdout[-2000:], done.stderr[-2000:])
            return
        with open(log, encoding="utf-8") as f:
            rows = list(csv.DictReader(x for x in f if x.startswith('"')))
    names = [x.split()[1:] for x in done.stdout.splitlines()
             if x.startswith("counted ")]
    groups = []
    for r in rows:
        if "spin_kernel" in r["Kernel Name"]:
            if r["Metric Name"].startswith("dram__bytes_read"):
                groups.append([])
        elif groups:
            groups[-1].append(r)
    if len(groups) != len(names):
        print(f"ncu: {len(groups)} groups of kernels for {len(names)} names")
        return
    for (name, mode), group in zip(names, groups):
        moved = {}
        for r in group:
            value = float(r["Metric Value"].replace(",", ""))
            words = value / 4 / sizes[name]
            moved.setdefault(r["ID"], [r["Kernel Name"]]).append(words)
        total = sum(sum(m[1:]) for m in moved.values())
        print(f"{name} {mode}: {total:.4g} words by ncu")
        for m in moved.values():
            print("   ", " + ".join(f"{w:.3f}" for w in m[1:]), m[0][:80])
        row(f"{name}.{mode}.dram", total, "")


def main():
    torch.manual_seed(1)
    sizes = {}
    for name, f, arguments, gradient, n in examples():
        if OPT.only not in ("", name):
            continue
        sizes[name] = n
        with Words() as counted:
            wanted = run(f, arguments, gradient)
        if OPT.counted:
            count_here(name, "eager", lambda: run(f, arguments, gradient))
        else:
            measure(name, "eager", f, arguments, gradient, n,
                    counted.bytes / 4 / n)
            print("   ", " ".join(counted.operations))
        torch._dynamo.reset()
        compiled = torch.compile(f)
        with Inductor() as said:
            found = run(compiled, arguments, gradient)
        for a, b in zip(wanted, found):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        del wanted, found
        if OPT.counted:
            count_here(name, "compiled",
                       lambda: run(compiled, arguments, gradient))
            continue
        words = (said.graph_bytes or said.kernel_bytes()) / 4 / n
        if not words:
            raise SystemExit(f"{name}: Inductor did not say what it accesses")
        measure(name, "compiled", compiled, arguments, gradient, n, words)
        print(f"    {said.graph_bytes / 4 / n:.4g} words as the graph says, "
              f"{said.kernel_bytes() / 4 / n:.4g} as its kernels say")
        for line in said.accesses():
            print("   ", line)
        if OPT.code:
            with open(os.path.join(OPT.code, name + ".code.py"), "w",
                      encoding="utf-8") as out:
                out.write("\n".join(said.code))
    if OPT.ncu and not OPT.small:
        count_by_ncu(sizes)
    if OPT.out and not (OPT.small or OPT.counted):
        write(OPT.out)


if __name__ == "__main__":
    main()
