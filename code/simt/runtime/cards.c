/* Tangled from chapters/workshop/simt-runtime.nw, "The card that is described".  Edit it there. */

#include "simt/runtime/cards.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the cards */
enum { KB = 1024, MB = 1024 * 1024 };

static const struct Gpu cards[] = {
    { "h200", "NVIDIA H200", 9, 0, 132, 1980, 3201, 6016, 2048, 32, 65536,
      228 * KB, 227 * KB, 60 * (size_t)MB, 4.8e12, 66.9e12, 989.4e12 },
    { "h100", "NVIDIA H100 SXM", 9, 0, 132, 1980, 2619, 5120, 2048, 32,
      65536, 228 * KB, 227 * KB, 50 * (size_t)MB, 3.35e12, 66.9e12,
      989.4e12 },
    { "a100", "NVIDIA A100 SXM 80GB", 8, 0, 108, 1410, 1593, 5120, 2048, 32,
      65536, 164 * KB, 163 * KB, 40 * (size_t)MB, 2.039e12, 19.5e12,
      312e12 },
    { "4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 2520, 10501, 384, 1536,
      24, 65536, 100 * KB, 99 * KB, 72 * (size_t)MB, 1.008e12, 82.6e12,
      165.2e12 },
};

const struct Gpu *gpu_chosen(void)
{
    enum { N = sizeof cards / sizeof *cards };
    const char *key = getenv("SIMT_GPU");
    if (!key || !*key)
        return &cards[0];
    for (int i = 0; i < N; i++)
        if (strcmp(key, cards[i].key) == 0)
            return &cards[i];
    misuse("SIMT_GPU=%s: no such card; known are h200, h100, a100, 4090",
           key);
}

/* the registers that were stated */
int registers_stated(const char *kernel)
{
    const char *p = getenv("SIMT_REGISTERS");
    size_t length = strlen(kernel);
    while (p && *p) {
        char *end;
        long all = strtol(p, &end, 10);
        if (end > p && (*end == 0 || *end == ','))
            return (int)all;
        if (strncmp(p, kernel, length) == 0 && p[length] == '=')
            return atoi(p + length + 1);
        p = strchr(p, ',');
        p = p ? p + 1 : NULL;
    }
    return 0;
}

/* how many blocks fit */
static size_t rounded_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

struct Occupancy occupancy(const struct Gpu *gpu, int threads,
                           size_t shared_bytes, int registers)
{
    int warps = (threads + 31) / 32, most = gpu->threads_per_sm / 32;
    size_t shared = rounded_up(shared_bytes, 128) + KB;
    struct Occupancy o = { gpu->blocks_per_sm, 0, most, "blocks" };
    if (warps < 1)
        warps = 1;
    if (most / warps < o.blocks) {
        o.blocks = most / warps;
        o.limit = "warps";
    }
    if (gpu->shared_per_sm / shared < (size_t)o.blocks) {
        o.blocks = (int)(gpu->shared_per_sm / shared);
        o.limit = "shared memory";
    }
    if (registers > 0) {
        int of_warp = (int)rounded_up((size_t)registers * 32, 256);
        int fit = gpu->registers_per_sm / 4 / of_warp * 4 / warps;
        if (fit < o.blocks) {
            o.blocks = fit;
            o.limit = "registers";
        }
    }
    o.warps = o.blocks * warps;
    return o;
}
