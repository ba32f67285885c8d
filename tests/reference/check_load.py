#!/usr/bin/env python3
"""Does a checkpoint written by this project load in transformers?

    python3 tests/reference/check_load.py CHECKPOINT SHARD B T [BATCHES]

Loads CHECKPOINT (a directory with model.safetensors and config.json) with
GPT2LMHeadModel.from_pretrained, computes the mean loss of the first
windows of SHARD, and prints `loss X tokens N`, the line that

    build/bin/eval --init CHECKPOINT/model.safetensors --data SHARD \\
                   --batch B --seq T --batches BATCHES

prints.  Exit status 1 if a weight was missing, unexpected or reshaped.
"""
import sys

import numpy
import torch
import transformers


def windows(path, T):
    header = numpy.fromfile(path, dtype="<i4", count=256)
    if header[0] != 20240520 or header[1] != 1:
        sys.exit(f"{path}: not a token shard")
    tokens = numpy.fromfile(path, dtype="<u2", offset=1024)
    if len(tokens) != header[2]:
        sys.exit(f"{path}: {len(tokens)} tokens, header says {header[2]}")
    n = (len(tokens) - 1) // T
    tokens = torch.from_numpy(tokens[:n * T + 1].astype("int64"))
    return tokens[:-1].reshape(n, T), tokens[1:].reshape(n, T)


def main(checkpoint, shard, B, T, batches):
    model, info = transformers.GPT2LMHeadModel.from_pretrained(
        checkpoint, output_loading_info=True)
    wrong = {k: v for k, v in info.items()
             if v and k != "error_msgs" and list(v) != ["lm_head.weight"]}
    if wrong:
        sys.exit(f"{checkpoint}: {wrong}")
    model = model.float().eval()
    inputs, targets = windows(shard, T)
    n = min(len(inputs) // B, batches or len(inputs)) * B
    total = 0.0
    with torch.no_grad():
        for i in range(0, n, B):
            logits = model(input_ids=inputs[i:i + B]).logits
            total += torch.nn.functional.cross_entropy(
                logits.double().reshape(B * T, -1),
                targets[i:i + B].reshape(-1), reduction="sum").item()
    print(f"loss {total / (n * T):.6f} tokens {n * T}")


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]),
         int(sys.argv[5]) if len(sys.argv) == 6 else 0)
