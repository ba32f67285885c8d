/* Tangled from chapters/workshop/text-tables.nw, "Training, from hash to heap".  Edit it there. */

#include "data/bpe_train.h"

#include "data/split.h"

#include <stdlib.h>
#include <string.h>

/* `struct Word` and `struct Pair` */
struct Word {               /* a distinct piece */
    size_t start;           /* in text */
    uint32_t length;
    int64_t count;          /* how often it occurs */
};


struct Pair {
    uint32_t key;           /* left << 16 | right */
    int64_t count;          /* occurrences, each as often as its word */
    uint32_t *at;           /* positions where it stands or has stood */
    size_t n, capacity;
};

/* all that a training remembers */
struct BpeTrainer {
    uint8_t *text;          /* the distinct pieces, one after the other */
    size_t size, capacity;
    struct Word *word;
    size_t words, word_capacity;
    uint32_t *word_slot;    /* hash of a piece -> 1 + its index */
    size_t word_mask;

    uint16_t *token;        /* [size] at each position of text ... */
    uint32_t *previous, *next;      /* ... and its neighbours */
    uint32_t *word_of;
    struct Pair *pair;
    size_t pairs, pair_capacity;
    uint32_t *pair_slot;    /* hash of a key -> 1 + index */
    size_t pair_mask;
    struct Candidate *heap;
    size_t candidates, heap_capacity;
    size_t fresh;           /* pairs before this one are in the heap */
    const char *failed;     /* why it cannot go on; NULL: it can */
};

/* grow an array */
static const char no_memory[] =
    "out of memory to train a vocabulary; train on less text";

/* Room for `need` items at *list, which is a pointer of any type; after a
 * failure there is none any more. */
static bool grow(struct BpeTrainer *t, void *list, size_t need,
                 size_t *capacity, size_t item)
{
    void *p;
    size_t room = *capacity;
    memcpy(&p, list, sizeof p);
    if (need <= room)
        return !t->failed;
    while (room < need)
        room = room ? 2 * room : 16;
    p = t->failed ? NULL : realloc(p, room * item);
    if (!p) {
        t->failed = t->failed ? t->failed : no_memory;
        return false;
    }
    memcpy(list, &p, sizeof p);
    *capacity = room;
    return true;
}

static void *zeros(struct BpeTrainer *t, size_t n, size_t item)
{
    void *p = calloc(n ? n : 1, item);
    if (!p)
        t->failed = no_memory;
    return p;
}

/* find a piece among those seen */
static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;           /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

static uint32_t *word_slot(const struct BpeTrainer *t, const uint8_t *p,
                           size_t n)
{
    size_t i = hash_bytes(p, n) & t->word_mask;
    for (; t->word_slot[i]; i = (i + 1) & t->word_mask) {
        const struct Word *w = &t->word[t->word_slot[i] - 1];
        if (w->length == n && memcmp(t->text + w->start, p, n) == 0)
            break;
    }
    return &t->word_slot[i];
}

static bool add_word(struct BpeTrainer *t, const uint8_t *p, size_t n)
{
    if (t->size + n > UINT32_MAX)
        t->failed = "the different words of the text have more than 4 GiB; "
                    "train on less text";
    if (!grow(t, &t->text, t->size + n, &t->capacity, 1)
        || !grow(t, &t->word, t->words + 1, &t->word_capacity,
                 sizeof *t->word))
        return false;
    memcpy(t->text + t->size, p, n);
    t->word[t->words++] = (struct Word){ t->size, (uint32_t)n, 1 };
    t->size += n;
    return true;
}

static void rehash_words(struct BpeTrainer *t)
{
    uint32_t *slot = zeros(t, 2 * t->word_mask + 2, sizeof *slot);
    if (!slot)
        return;
    free(t->word_slot);
    t->word_slot = slot;
    t->word_mask = 2 * t->word_mask + 1;
    for (size_t i = 0; i < t->words; i++)
        *word_slot(t, t->text + t->word[i].start, t->word[i].length)
            = (uint32_t)i + 1;
}

/* count the pieces */
void bpe_trainer_add(struct BpeTrainer *t, const uint8_t *text,
                     size_t size)
{
    for (size_t at = 0, end; at < size && !t->failed; at = end) {
        end = piece_end(text, size, at);
        uint32_t *slot = word_slot(t, text + at, end - at);
        if (*slot) {
            t->word[*slot - 1].count++;
            continue;
        }
        /* keep the new piece, with a count of one */
        if (!add_word(t, text + at, end - at))
            return;
        *slot = (uint32_t)t->words;
        if (2 * t->words > t->word_mask)
            rehash_words(t);
    }
}

/* find a pair among those seen */
static uint32_t *pair_slot(const struct BpeTrainer *t, uint32_t key)
{
    size_t i = (key * 0x9E3779B97F4A7C15u >> 32) & t->pair_mask;
    while (t->pair_slot[i] && t->pair[t->pair_slot[i] - 1].key != key)
        i = (i + 1) & t->pair_mask;
    return &t->pair_slot[i];
}

static void rehash_pairs(struct BpeTrainer *t)
{
    uint32_t *slot = zeros(t, 2 * t->pair_mask + 2, sizeof *slot);
    if (!slot)
        return;
    free(t->pair_slot);
    t->pair_slot = slot;
    t->pair_mask = 2 * t->pair_mask + 1;
    for (size_t i = 0; i < t->pairs; i++)
        *pair_slot(t, t->pair[i].key) = (uint32_t)i + 1;
}

/* NULL if there is no memory for one that is new. */
static struct Pair *find_pair(struct BpeTrainer *t, uint32_t key)
{
    uint32_t *slot = pair_slot(t, key);
    if (*slot)
        return &t->pair[*slot - 1];
    if (!grow(t, &t->pair, t->pairs + 1, &t->pair_capacity,
              sizeof *t->pair))
        return NULL;
    t->pair[t->pairs++] = (struct Pair){ .key = key };
    *slot = (uint32_t)t->pairs;
    if (2 * t->pairs > t->pair_mask)
        rehash_pairs(t);
    return &t->pair[t->pairs - 1];
}

/* count the pairs */
static uint32_t key_at(const struct BpeTrainer *t, uint32_t at)
{
    return (uint32_t)t->token[at] << 16 | t->token[t->next[at]];
}


static void pair_appears(struct BpeTrainer *t, uint32_t at)
{
    struct Pair *p = find_pair(t, key_at(t, at));
    if (!p || !grow(t, &p->at, p->n + 1, &p->capacity, sizeof *p->at))
        return;
    p->count += t->word[t->word_of[at]].count;
    p->at[p->n++] = at;
}

static void pair_vanishes(struct BpeTrainer *t, uint32_t at)
{
    struct Pair *p = find_pair(t, key_at(t, at));
    if (p)
        p->count -= t->word[t->word_of[at]].count;
}

/* link the positions of a piece */
#define NOWHERE UINT32_MAX

static void link_word(struct BpeTrainer *t, uint32_t index,
                      const uint16_t id_of[256])
{
    uint32_t first = (uint32_t)t->word[index].start;
    uint32_t last = first + t->word[index].length - 1;
    for (uint32_t i = first; i <= last; i++) {
        t->token[i] = id_of[t->text[i]];
        t->previous[i] = i == first ? NOWHERE : i - 1;
        t->next[i] = i == last ? NOWHERE : i + 1;
        t->word_of[i] = index;
    }
    for (uint32_t i = first; i < last; i++)
        pair_appears(t, i);
}

/* compare two candidates */
struct Candidate {
    int64_t count;
    uint32_t key;
};

static bool better(struct Candidate a, struct Candidate b)
{
    return a.count != b.count ? a.count > b.count : a.key < b.key;
}

/* push and pop candidates */
static void heap_push(struct BpeTrainer *t, struct Candidate c)
{
    if (!grow(t, &t->heap, t->candidates + 1, &t->heap_capacity,
              sizeof *t->heap))
        return;
    size_t i = t->candidates++;
    for (; i && better(c, t->heap[(i - 1) / 2]); i = (i - 1) / 2)
        t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = c;
}

static struct Candidate heap_pop(struct BpeTrainer *t)
{
    struct Candidate top = t->heap[0], last = t->heap[--t->candidates];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < t->candidates) {
        if (child + 1 < t->candidates
            && better(t->heap[child + 1], t->heap[child]))
            child++;
        if (!better(t->heap[child], last))
            break;
        t->heap[i] = t->heap[child];
        i = child;
    }
    t->heap[i] = last;
    return top;
}

/* take the best pair */
/* The best pair by its count of now; NULL if none occurs twice. */
static struct Pair *pop_best(struct BpeTrainer *t)
{
    /* push the new pairs on the heap */
    for (; t->fresh < t->pairs; t->fresh++)
        heap_push(t, (struct Candidate){ t->pair[t->fresh].count,
                                         t->pair[t->fresh].key });
    while (t->candidates && !t->failed) {
        struct Candidate c = heap_pop(t);
        struct Pair *p = find_pair(t, c.key);
        if (p->count == c.count)
            return c.count >= 2 ? p : NULL;
        c.count = p->count;
        heap_push(t, c);
    }
    return NULL;
}

/* replace a pair everywhere */
static void merge_at(struct BpeTrainer *t, uint32_t at, uint16_t made)
{
    uint32_t right = t->next[at];
    uint32_t before = t->previous[at], after = t->next[right];
    if (before != NOWHERE)
        pair_vanishes(t, before);
    if (after != NOWHERE)
        pair_vanishes(t, right);
    /* replace two tokens by one in the chain */
    t->token[at] = made;
    t->next[at] = after;
    t->next[right] = NOWHERE;
    if (after != NOWHERE)
        t->previous[after] = at;
    if (before != NOWHERE)
        pair_appears(t, before);
    if (after != NOWHERE)
        pair_appears(t, at);
}

static void replace_pair(struct BpeTrainer *t, struct Pair *p,
                         uint16_t made)
{
    uint32_t key = p->key, *at = p->at;
    size_t n = p->n;
    p->at = NULL;               /* p may move when pairs are added */
    p->n = p->capacity = 0;
    p->count = 0;
    for (size_t i = 0; i < n; i++)
        if (t->next[at[i]] != NOWHERE && key_at(t, at[i]) == key)
            merge_at(t, at[i], made);
    find_pair(t, key)->count = 0;
    free(at);
}

/* begin and end a training */
struct BpeTrainer *bpe_trainer_new(void)
{
    struct BpeTrainer *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->word_mask = t->pair_mask = 1023;
    t->word_slot = zeros(t, t->word_mask + 1, sizeof *t->word_slot);
    t->pair_slot = zeros(t, t->pair_mask + 1, sizeof *t->pair_slot);
    if (!t->failed)
        return t;
    bpe_trainer_free(t);
    return NULL;
}

void bpe_trainer_free(struct BpeTrainer *t)
{
    for (size_t i = 0; i < t->pairs; i++)
        free(t->pair[i].at);
    void *parts[] = { t->text, t->word, t->word_slot, t->token,
                      t->previous, t->next, t->word_of, t->pair,
                      t->pair_slot, t->heap, t };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

static void start_training(struct BpeTrainer *t)
{
    uint16_t id_of[256];
    for (int i = 0; i < 256; i++)
        id_of[byte_order[i]] = (uint16_t)i;
    t->token = zeros(t, t->size, sizeof *t->token);
    t->previous = zeros(t, t->size, sizeof *t->previous);
    t->next = zeros(t, t->size, sizeof *t->next);
    t->word_of = zeros(t, t->size, sizeof *t->word_of);
    for (size_t i = 0; i < t->words && !t->failed; i++)
        link_word(t, (uint32_t)i, id_of);
}

/* learn the merges */
static int learn(struct BpeTrainer *t, struct Merge *merge, int wanted,
                 void (*report)(int done, int wanted))
{
    int done = 0;
    struct Pair *p;
    while (done < wanted && !t->failed && (p = pop_best(t))) {
        merge[done] = (struct Merge){ .left = (uint16_t)(p->key >> 16),
                                      .right = (uint16_t)p->key };
        replace_pair(t, p, (uint16_t)(256 + done++));
        if (report && done % 256 == 0)
            report(done, wanted);
    }
    return done;
}

/* train a vocabulary */
bool bpe_train(struct Vocab *v, struct BpeTrainer *t, int size,
               void (*report)(int done, int wanted), struct Error *e)
{
    int wanted = size - 257;
    struct Merge *merge = zeros(t, (size_t)wanted, sizeof *merge);
    start_training(t);
    int done = learn(t, merge, wanted, report);
    if (t->failed || done == wanted) {
        const bool ok = t->failed ? error_set(e, "%s", t->failed)
                                  : vocab_from_merges(v, merge, done, e);
        free(merge);
        return ok;
    }
    free(merge);
    /* report that the text gives too few merges */
    return done == wanted || error_set(e,
        "after %d merges no pair of tokens occurs twice in the text: ask "
        "for a vocabulary of at most %d tokens, or give more text",
        done, done + 257);
}
