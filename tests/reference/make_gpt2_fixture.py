#!/usr/bin/env python3
"""Make tests/data/gpt2-tiny: a small GPT-2 run by transformers in float64.

    python3 tests/reference/make_gpt2_fixture.py OUTDIR

Needs torch, transformers, safetensors.  Nothing in the project runs this:
the files it writes are tracked, and the tests read those.

  model.safetensors    the weights, float32, as save_pretrained writes them
  config.json          beside it, the same
  batches.safetensors  int32 inputs and targets [11,3,19]; batch 0 is for
                       the gradients, batches 1 to 10 for the optimiser
  expected.safetensors logits [3,19,131] and loss of batch 0, float64; loss
                       and gradient norm (before clipping) of 10 steps
  grads.safetensors    gradient of the loss of batch 0, every parameter
  after.safetensors    the weights after 10 steps of AdamW

The weights are float32 numbers; all arithmetic is float64; gradients and
final weights are rounded to float32 when they are written.
"""
import json
import os
import sys

import torch
import transformers
from safetensors.torch import save_file

V, CONTEXT, T, B, L, NH, C = 131, 21, 19, 3, 2, 3, 48
STEPS = 10


def build():
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=CONTEXT, n_embd=C, n_layer=L, n_head=NH,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=V - 1, eos_token_id=V - 1)
    config._attn_implementation = "eager"
    torch.manual_seed(20240520)
    model = transformers.GPT2LMHeadModel(config)
    # Nothing may hide behind a 1 or a 0: move every weight and bias.
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for _, p in sorted(model.named_parameters()):
            spread = 0.1 if p.dim() == 1 else 0.05
            p += spread * torch.randn(p.shape, generator=generator)
    return model.float().train()


def parameters(model):
    """name -> tensor, without the tied copy of wte."""
    return {n: p for n, p in model.named_parameters()
            if n != "lm_head.weight"}


def rounded(tensors):
    return {n: t.detach().to(torch.float32).clone().contiguous()
            for n, t in tensors.items()}


def loss_of(model, inputs, targets):
    logits = model(input_ids=inputs.long(), use_cache=False).logits
    loss = torch.nn.functional.cross_entropy(
        logits.reshape(-1, V), targets.reshape(-1).long())
    return logits, loss


def train(model, inputs, targets):
    named = parameters(model)
    groups = [
        {"params": [p for p in named.values() if p.dim() >= 2],
         "weight_decay": 0.1},
        {"params": [p for p in named.values() if p.dim() < 2],
         "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), eps=1e-8)
    losses, norms = [], []
    for step in range(STEPS):
        adamw.zero_grad()
        _, loss = loss_of(model, inputs[step], targets[step])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adamw.step()
        losses.append(loss.item())
        norms.append(float(norm))
    return losses, norms


def main(out):
    os.makedirs(out, exist_ok=True)
    model = build()
    model.save_pretrained(out)
    generation = os.path.join(out, "generation_config.json")
    if os.path.exists(generation):
        os.remove(generation)
    model = model.double()

    generator = torch.Generator().manual_seed(11)
    stream = torch.randint(0, V, (STEPS + 1, B, T + 1), generator=generator)
    stream[0, 0, :6] = 5                   # a token that repeats ...
    stream[0, 1, 3] = 0                    # ... the first id, and the last
    stream[0, 2, T] = V - 1
    inputs, targets = stream[..., :-1], stream[..., 1:]
    save_file({"inputs": inputs.to(torch.int32).contiguous(),
               "targets": targets.to(torch.int32).contiguous()},
              os.path.join(out, "batches.safetensors"))

    logits, loss = loss_of(model, inputs[0], targets[0])
    loss.backward()
    grads = {n: p.grad for n, p in parameters(model).items()}
    save_file(rounded(grads), os.path.join(out, "grads.safetensors"))

    losses, norms = train(model, inputs[1:], targets[1:])
    save_file(rounded(parameters(model)),
              os.path.join(out, "after.safetensors"))
    f64 = torch.float64
    save_file({"logits": logits.detach().contiguous(),
               "loss": loss.detach().reshape(1),
               "step_losses": torch.tensor(losses, dtype=f64),
               "step_norms": torch.tensor(norms, dtype=f64)},
              os.path.join(out, "expected.safetensors"),
              metadata={"torch": torch.__version__,
                        "transformers": transformers.__version__})
    print(json.dumps({"torch": torch.__version__,
                      "transformers": transformers.__version__,
                      "loss": loss.item(), "steps": losses,
                      "norms": norms}, indent=1))
    size = sum(os.path.getsize(os.path.join(out, f))
               for f in os.listdir(out))
    assert size < 1_000_000, size
    print(size, "bytes in", out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
