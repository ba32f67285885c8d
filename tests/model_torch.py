#!/usr/bin/env python3
"""GPT-2 written a second time, in PyTorch, and a fixture made with it.

    python3 tests/model_torch.py OUTDIR [V CONTEXT T B L NH C]

Writes the files that tests/reference/make_gpt2_fixture.py writes, from
this independent model and other sizes; tests/model_torch.sh then runs the
tests on them.  Needs torch and numpy, nothing else; any version will do.
"""
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F


def weights(V, context, L, C, generator):
    def draw(*shape):
        mean = 1.0 if len(shape) == 1 else 0.0
        spread = 0.1 if len(shape) == 1 else 0.2
        w = mean + spread * torch.randn(*shape, generator=generator)
        return w.float().double().requires_grad_()

    w = {"wte.weight": draw(V, C), "wpe.weight": draw(context, C),
         "ln_f.weight": draw(C), "ln_f.bias": draw(C)}
    for i in range(L):
        for name, n_in, n_out in (("attn.c_attn", C, 3 * C),
                                  ("attn.c_proj", C, C),
                                  ("mlp.c_fc", C, 4 * C),
                                  ("mlp.c_proj", 4 * C, C)):
            w[f"h.{i}.{name}.weight"] = draw(n_in, n_out)
            w[f"h.{i}.{name}.bias"] = draw(n_out)
        for name in ("ln_1", "ln_2"):
            w[f"h.{i}.{name}.weight"] = draw(C)
            w[f"h.{i}.{name}.bias"] = draw(C)
    return w


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(
        math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def forward(w, tokens, L, NH):
    B, T = tokens.shape
    C = w["wte.weight"].shape[1]

    def norm(x, name):
        x = x - x.mean(-1, keepdim=True)
        x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5)
        return x * w[name + ".weight"] + w[name + ".bias"]

    def linear(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def heads(x):
        return x.reshape(B, T, NH, C // NH).transpose(1, 2)

    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    x = w["wte.weight"][tokens] + w["wpe.weight"][:T]
    for i in range(L):
        h = f"h.{i}."
        q, k, v = map(heads, linear(norm(x, h + "ln_1"),
                                    h + "attn.c_attn").split(C, -1))
        score = q @ k.transpose(2, 3) / math.sqrt(C // NH)
        score = score.masked_fill(later, -math.inf).softmax(-1)
        y = (score @ v).transpose(1, 2).reshape(B, T, C)
        x = x + linear(y, h + "attn.c_proj")
        y = gelu(linear(norm(x, h + "ln_2"), h + "mlp.c_fc"))
        x = x + linear(y, h + "mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def loss_of(w, inputs, targets, L, NH):
    logits = forward(w, inputs, L, NH)
    return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


NAMES = {torch.float32: "F32", torch.float64: "F64", torch.int32: "I32"}


def save(path, tensors, prefix=""):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, t in sorted(tensors.items()):
        t = t.detach().contiguous()
        raw = t.numpy().tobytes()
        header[prefix + name] = {
            "dtype": NAMES[t.dtype], "shape": list(t.shape),
            "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def train(w, inputs, targets, L, NH, steps):
    adamw = torch.optim.AdamW(
        [{"params": [p for p in w.values() if p.dim() == 2],
          "weight_decay": 0.1},
         {"params": [p for p in w.values() if p.dim() == 1],
          "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.95), eps=1e-8)
    losses, norms = [], []
    for step in range(steps):
        adamw.zero_grad()
        loss = loss_of(w, inputs[step], targets[step], L, NH)[1]
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(
            list(w.values()), 1.0)))
        adamw.step()
        losses.append(loss.item())
    return losses, norms


def main(out, V=67, context=13, T=11, B=2, L=3, NH=5, C=20, steps=10):
    os.makedirs(out, exist_ok=True)
    generator = torch.Generator().manual_seed(3)
    w = weights(V, context, L, C, generator)

    def write(name, tensors, prefix=""):
        save(os.path.join(out, name + ".safetensors"), tensors, prefix)

    def f32(tensors):
        return {n: t.detach().float() for n, t in tensors.items()}

    write("model", f32(w))
    with open(os.path.join(out, "config.json"), "w") as f:
        json.dump({"model_type": "gpt2", "vocab_size": V, "n_embd": C,
                   "n_positions": context, "n_layer": L, "n_head": NH}, f)
    stream = torch.randint(0, V, (steps + 1, B, T + 1), generator=generator)
    inputs, targets = stream[..., :-1], stream[..., 1:]
    write("batches", {"inputs": inputs.int(), "targets": targets.int()})

    logits, loss = loss_of(w, inputs[0], targets[0], L, NH)
    loss.backward()
    write("grads", {n: t.grad.float() for n, t in w.items()})
    losses, norms = train(w, inputs[1:], targets[1:], L, NH, steps)
    write("after", f32(w))
    f64 = torch.float64
    write("expected", {"logits": logits, "loss": loss.reshape(1),
                       "step_losses": torch.tensor(losses, dtype=f64),
                       "step_norms": torch.tensor(norms, dtype=f64)})


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
