# Compare the operators with PyTorch's autograd, an implementation that shares
# nothing with ours.  Reference: torch in float64.  Ours may be off by twice
# what torch's own float32 is off, plus a few roundings of the largest value.
# Run by tests/torch.sh; argument: a shared library of code/ops.  Prints TAP.
import ctypes
import math
import sys

import torch
import torch.nn.functional as F

lib = ctypes.CDLL(sys.argv[1])
count = failed = 0


def call(name, *args):
    out = []
    for a in args:
        if a is None:
            out.append(ctypes.c_void_p(0))
        elif isinstance(a, torch.Tensor):
            assert a.is_contiguous()
            out.append(ctypes.c_void_p(a.data_ptr()))
        elif isinstance(a, bool):
            out.append(ctypes.c_bool(a))
        elif isinstance(a, float):
            out.append(ctypes.c_float(a))
        elif name.startswith(("gelu", "residual")):
            out.append(ctypes.c_size_t(a))
        else:
            out.append(ctypes.c_int(a))
    getattr(lib, name).restype = None
    getattr(lib, name)(*out)


def nan(*shape):
    return torch.full(shape, math.nan)


def check(row, pairs, extra=0.0):
    """pairs: (what, ours, torch float32, torch float64)"""
    global count, failed
    count += 1
    worst, bad = "", False
    for what, ours, t32, t64 in pairs:
        size = t64.abs().max().item()
        err = (ours.double() - t64).abs().max().item()
        allowed = 2 * (t32.double() - t64).abs().max().item() \
            + (4 * size + extra) * 2.0 ** -24
        if not err <= allowed:
            bad = True
            worst += f" {what}: err {err:.2e}, allowed {allowed:.2e}"
    failed += bad
    print(("not ok" if bad else "ok"), count, "-", row + worst)


def both(f, inputs, seed):
    """f on float32 and float64 copies: outputs and gradients of inputs."""
    results = []
    for dtype in (torch.float32, torch.float64):
        x = [i.to(dtype).clone().requires_grad_(True) for i in inputs]
        y = f(*x)
        y.backward(seed.to(dtype))
        results.append([y.detach()] + [i.grad for i in x])
    return list(zip(*results))


def randn(*shape):
    return torch.randn(*shape, dtype=torch.float32)


def gelu(n):
    x, dy = 4 * randn(n), randn(n)
    r = both(lambda v: F.gelu(v, approximate="tanh"), [x], dy)
    y, dx = nan(n), nan(n)
    call("gelu_fwd", y, x, n)
    call("gelu_bwd", dx, dy, x, n)
    check(f"torch gelu n={n}", [("y", y, *r[0]), ("dx", dx, *r[1])])


def layernorm(N, C, mean):
    x, w, b = randn(N, C) + mean, 1 + 0.1 * randn(C), randn(C)
    dy = randn(N, C)
    r = both(lambda x, w, b: F.layer_norm(x, (C,), w, b), [x, w, b], dy)
    y, m, rs = nan(N, C), nan(N), nan(N)
    dx, dw, db = torch.zeros(N, C), torch.zeros(C), torch.zeros(C)
    call("layernorm_fwd", y, m, rs, x, w, b, N, C)
    call("layernorm_bwd", dx, dw, db, dy, x, m, rs, w, N, C)
    check(f"torch layernorm N={N} C={C} mean={mean}",
          [("y", y, *r[0]), ("dx", dx, *r[1]), ("dw", dw, *r[2]),
           ("db", db, *r[3])])


def linear(N, C, OC):
    x, w, b, dy = randn(N, C), randn(C, OC), randn(OC), randn(N, OC)
    r = both(lambda x, w, b: x @ w + b, [x, w, b], dy)
    y, dx, dw, db = nan(N, OC), nan(N, C), nan(C, OC), nan(OC)
    call("linear_fwd", y, x, w, b, N, C, OC)
    call("linear_bwd", dx, dw, db, dy, x, w, N, C, OC, False)
    check(f"torch linear N={N} C={C} OC={OC}",
          [("y", y, *r[0]), ("dx", dx, *r[1]), ("dw", dw, *r[2]),
           ("db", db, *r[3])])


def crossentropy(N, V, scale):
    x, t = scale * randn(N, V), torch.randint(V, (N,))
    # The seed 1/N is given as the gradient of the sum of the losses.
    r = both(lambda x: F.cross_entropy(x, t, reduction="none"), [x],
             torch.full((N,), 0.5))
    loss, lse, dx = nan(N), nan(N), nan(N, V)
    t32 = t.to(torch.int32)
    call("crossentropy_fwd", loss, lse, x, t32, N, V)
    call("crossentropy_bwd", dx, x, lse, t32, 0.5, N, V)
    check(f"torch crossentropy N={N} V={V} scale={scale}",
          [("loss", loss, *r[0]), ("dlogits", dx, *r[1])],
          lse.abs().max().item() / 2)    # exp(x - lse): lse is rounded


def attention(B, T, C, NH):
    qkv, dy = randn(B, T, 3 * C), randn(B, T, C)

    def f(qkv):
        q, k, v = (i.view(B, T, NH, C // NH).transpose(1, 2)
                   for i in qkv.split(C, dim=2))
        s = q @ k.transpose(2, 3) / math.sqrt(C // NH)
        hide = torch.ones(T, T, dtype=torch.bool).triu(1)
        p = s.masked_fill(hide, -math.inf).softmax(3)
        return (p @ v).transpose(1, 2).reshape(B, T, C)

    r = both(f, [qkv], dy)
    y, lse, dqkv = nan(B, T, C), nan(B, NH, T), nan(B, T, 3 * C)
    call("attention_fwd", y, lse, qkv, B, T, C, NH)
    call("attention_bwd", dqkv, dy, qkv, y, lse, B, T, C, NH)
    check(f"torch attention B={B} T={T} C={C} NH={NH}",
          [("y", y, *r[0]), ("dqkv", dqkv, *r[1])])


def embedding(B, T, C, V):
    wte, wpe, dx = randn(V, C), randn(T, C), randn(B, T, C)
    t = torch.randint(V, (B, T))
    r = both(lambda a, b: F.embedding(t, a) + b, [wte, wpe], dx)
    x, da, db = nan(B, T, C), torch.zeros(V, C), torch.zeros(T, C)
    t32 = t.to(torch.int32)
    call("embedding_fwd", x, t32, wte, wpe, B, T, C)
    call("embedding_bwd", da, db, dx, t32, B, T, C)
    check(f"torch embedding B={B} T={T} C={C} V={V}",
          [("x", x, *r[0]), ("dwte", da, *r[1]), ("dwpe", db, *r[2])])


torch.manual_seed(1)
torch.set_num_threads(2)
gelu(10007)
layernorm(33, 48, 0)
layernorm(257, 768, 3)
linear(33, 48, 131)
crossentropy(33, 1031, 1.0)
crossentropy(5, 257, 20.0)
attention(3, 19, 48, 3)
attention(2, 257, 160, 2)
attention(1, 64, 33, 3)
embedding(3, 19, 48, 7)
print(f"1..{count}")
sys.exit(failed > 0)
