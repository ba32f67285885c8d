"""GPT-2 in PyTorch, written to be compiled: what the other scripts here
measure and compare with.  Parameters are nn.Linear's [out, in]; load() reads
the [in, out] of GPT-2's own files, which are also the ones that we write.
"""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

SIZES = {                       # layers, heads, channels
    "gpt2": (12, 12, 768),
    "gpt2-medium": (24, 16, 1024),
    "gpt2-large": (36, 20, 1280),
    "d6": (6, 6, 384),
}
BACKENDS = {
    "default": None,
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}


def attention_of(name):
    """A context in which F.scaled_dot_product_attention takes this way."""
    backend = BACKENDS[name]
    return sdpa_kernel(backend) if backend else contextlib.nullcontext()


class Block(nn.Module):
    def __init__(self, C, NH):
        super().__init__()
        self.NH = NH
        self.ln_1, self.ln_2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.c_attn = nn.Linear(C, 3 * C)
        self.c_proj = nn.Linear(C, C)
        self.fc = nn.Linear(C, 4 * C)
        self.fc_proj = nn.Linear(4 * C, C)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (h.view(B, T, self.NH, C // self.NH).transpose(1, 2)
                   for h in self.c_attn(self.ln_1(x)).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        h = F.gelu(self.fc(self.ln_2(x)), approximate="tanh")
        return x + self.fc_proj(h)


class GPT2(nn.Module):
    def __init__(self, L, NH, C, V, context):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, C), nn.Embedding(context, C)
        self.h = nn.ModuleList(Block(C, NH) for _ in range(L))
        self.ln_f = nn.LayerNorm(C)
        self.head = nn.Linear(C, V, bias=False)
        self.head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if p.dim() == 2:
                deep = name.endswith("proj.weight")
                nn.init.normal_(p, std=0.02 / ((2 * L) ** 0.5 if deep else 1))
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    def forward(self, tokens, targets):
        place = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(place)
        for block in self.h:
            x = block(x)
        return self.loss(x, targets)

    def loss(self, x, targets):
        logits = self.head(self.ln_f(x))
        wide = torch.promote_types(logits.dtype, torch.float32)
        return F.cross_entropy(logits.flatten(0, 1).to(wide),
                               targets.flatten())


THEIR_NAMES = {"c_attn": "attn.c_attn", "c_proj": "attn.c_proj",
               "fc": "mlp.c_fc", "fc_proj": "mlp.c_proj"}


def load(model, path):
    """The weights of a GPT-2 safetensors file; a padded vocabulary's last
    rows become zero."""
    from safetensors.torch import load_file
    theirs = {n.removeprefix("transformer."): t
              for n, t in load_file(path).items()}
    with torch.no_grad():
        for name, p in model.named_parameters():
            layer, _, rest = name.rpartition(".")
            last = layer.split(".")[-1]
            if last in THEIR_NAMES:
                name = name.replace(f".{last}.", f".{THEIR_NAMES[last]}.")
            t = theirs[name]
            if last in THEIR_NAMES and p.dim() == 2:
                t = t.T
            if name == "wte.weight":
                p.zero_()
                p[:t.shape[0]] = t
            else:
                p.copy_(t)


def adamw(model, lr, betas=(0.9, 0.95), eps=1e-8, decay=0.1,
          capturable=False):
    """Fused AdamW; decay for matrices only, as ours."""
    params = [p for p in model.parameters()]
    groups = [{"params": [p for p in params if p.dim() == 2],
               "weight_decay": decay},
              {"params": [p for p in params if p.dim() < 2],
               "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=lr, betas=betas, eps=eps, fused=True,
                             capturable=capturable)
