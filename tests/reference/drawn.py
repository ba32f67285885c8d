"""What a seed draws, computed from the book's words (F.4, 14.8, 16.5, 17.9)
and none of its code: prints the numbers that test_loader.c, test_sampler.c
and test_model.c expect.  A stream that changes makes old runs impossible to
repeat, so it should not change by accident."""
import math

MASK = 0xFFFFFFFF
SEEDS = 0, 0x123456789ABCDEF0


def pair(x):
    """The low and the high word of 64 bits."""
    return x & MASK, x >> 32


def philox(counter, key):
    """Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & MASK, a >> 32 ^ c[3] ^ k[1], a & MASK]
        k = [k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK]
    return c


def words(seed, stream):
    block = 0
    while True:
        yield from philox(pair(block) + pair(stream), pair(seed))
        block += 1


def window(i, n, seed, epoch):
    """Where window i of n goes: six rounds of Feistel on a square."""
    a = math.isqrt(n - 1) + 1
    low, high = pair(epoch)
    while True:
        left, right = divmod(i, a)
        for r in range(6):
            out = philox((right, r, low, high ^ 1 << 31), pair(seed))
            left, right = right, (left + (out[0] << 32 | out[1])) % a
        i = left * a + right
        if i < n:
            return i


def token(seed, number, n):
    """Draw `number` from n equal logits."""
    w = words(seed, number)
    bits = next(w) << 32 | next(w)
    return int((bits >> 11) * 2.0**-53 * n)


def weight(seed, tensor, at, std):
    """Element `at` of a tensor: pieces of 65,536, two words each."""
    w = words(seed, 1 << 63 | tensor << 32 | at // 65536)
    for _ in range(at % 65536 * 2):
        next(w)
    u, v = (next(w) + 1) / 2**32, next(w) / 2**32
    return std * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)


for s in SEEDS:
    for epoch in 0, 1, 1 << 33:
        to = ", ".join(str(window(i, 1000, s, epoch)) for i in range(6))
        print(f"window: {{ {s:#x}, {epoch:#x}, {{ {to} }} }},")
for s in SEEDS:
    for number in 0, 1, 2, 1 << 33:
        print(f"token:  {{ {s:#x}, {number:#x}, {token(s, number, 1000)} }},")
for s in SEEDS:
    # wte over the border of two pieces; wpe; two tensors of layer 1 of 2
    for tensor, at in (0, 0), (0, 65535), (0, 65536), (1, 1), (18, 4095), (22, 2):
        std = 0.02 / math.sqrt(2 * 2) if tensor == 18 else 0.02
        print(f"weight: {{ {s:#x}, {tensor}, {at}, "
              f"{weight(s, tensor, at, std):.9g} }},")
