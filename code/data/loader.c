/* Tangled from chapters/workshop/text-tables.nw, "Shards and loader, the rest".  Edit it there. */

#include "data/loader.h"

#include "base/rng.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* shuffle without a list */
#define FEISTEL_ROUNDS 6

static uint64_t feistel(uint64_t i, uint64_t a, uint64_t seed,
                        uint64_t epoch)
{
    uint64_t left = i / a, right = i % a;
    uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    for (uint32_t round = 0; round < FEISTEL_ROUNDS; round++) {
        /* compute f from right, round and epoch */
        uint32_t out[4], counter[4] = { (uint32_t)right, round,
            (uint32_t)epoch, (uint32_t)(epoch >> 32) ^ 0x80000000u };
        philox(out, counter, key);
        uint64_t f = (uint64_t)out[0] << 32 | out[1];
        uint64_t sum = (left + f % a) % a;
        left = right;
        right = sum;
    }
    return left * a + right;
}

static uint64_t shuffled(uint64_t i, uint64_t n, uint64_t seed,
                         uint64_t epoch)
{
    uint64_t a = (uint64_t)sqrt((double)n);
    while (a * a < n)
        a++;
    do
        i = feistel(i, a, seed, epoch);
    while (i >= n);
    return i;
}

/* find the shards */
static bool find_shards(glob_t *found, const char *pattern, struct Error *e)
{
    errno = 0;
    int why = glob(pattern, GLOB_ERR, NULL, found);
    if (why == 0)
        return true;
    if (why == GLOB_NOMATCH || errno == ENOENT)
        return error_set(e, "%s: no such shard; make one with `tokenize "
                         "encode`", pattern);
    return error_set(e, "%s: cannot list the shards: %s", pattern,
        why == GLOB_NOSPACE ? "out of memory" : strerror(errno));
}

/* open a loader */
static bool add_shard(struct Loader *l, const char *path, struct Error *e)
{
    struct Shard *s = &l->shard[l->shards];
    size_t T = (size_t)l->config.T;
    if (!shard_open(s, path, e))
        return false;
    l->shards++;
    /* refuse a shard without a single window */
    if (s->count < T + 1)
        return error_set(e, "%s: %zu tokens; a sequence of %zu and the "
            "token after it need %zu: give more text or a smaller --seq",
            path, s->count, T, T + 1);
    if (!shard_check(s, l->config.V, e))
        return false;
    /* count the shard's tokens and windows */
    l->tokens += s->count;
    l->windows += (s->count - 1) / T;
    l->first_window[l->shards] = l->windows;
    return true;
}

/* open all shards of a pattern */
bool loader_open(struct Loader *l, const struct LoaderConfig *config,
                 struct Error *e)
{
    *l = (struct Loader){ .config = *config };
    if (l->config.world == 0)
        l->config.world = 1;
    glob_t found;
    if (!find_shards(&found, config->pattern, e))
        return false;
    l->shard = calloc(found.gl_pathc, sizeof *l->shard);
    l->first_window = calloc(found.gl_pathc + 1, sizeof *l->first_window);
    bool ok = l->shard && l->first_window;
    if (!ok)
        error_set(e, "out of memory for %zu shards", found.gl_pathc);
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = add_shard(l, found.gl_pathv[i], e);
    globfree(&found);
    if (!ok)
        loader_close(l);
    return ok;
}

void loader_close(struct Loader *l)
{
    for (size_t i = 0; i < l->shards; i++)
        shard_close(&l->shard[i]);
    free(l->shard);
    free(l->first_window);
    *l = (struct Loader){0};
}

/* find a window */
uint64_t loader_window(const struct Loader *l, uint64_t n)
{
    uint64_t epoch = n / l->windows, i = n % l->windows;
    return l->config.shuffle
         ? shuffled(i, l->windows, l->config.seed, epoch) : i;
}

/* find the shard of a window */
/* The first token of a window, in the shard that holds it. */
static const uint16_t *window_tokens(const struct Loader *l,
                                     uint64_t window)
{
    size_t low = 0, high = l->shards;
    while (high - low > 1) {    /* first_window[low] <= window < [high] */
        size_t middle = (low + high) / 2;
        if (l->first_window[middle] <= window)
            low = middle;
        else
            high = middle;
    }
    uint64_t in_shard = window - l->first_window[low];
    return l->shard[low].token + in_shard * (uint64_t)l->config.T;
}

/* fill a batch */
void loader_batch(const struct Loader *l, int32_t *tokens, int32_t *targets,
                  uint64_t first_sequence, int B)
{
    size_t T = (size_t)l->config.T;
    uint64_t mine = first_sequence
                  + (uint64_t)l->config.rank * (uint64_t)B;
    for (size_t b = 0; b < (size_t)B; b++) {
        const uint16_t *from = window_tokens(l, loader_window(l, mine + b));
        for (size_t t = 0; t < T; t++) {
            tokens[b * T + t] = from[t];
            targets[b * T + t] = from[t + 1];
        }
    }
}
