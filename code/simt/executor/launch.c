/* Tangled from chapters/workshop/ptx.nw, "Launching".  Edit it there. */

#include "simt/executor/hopper.h"
#include "simt/executor/lanes.h"
#include "simt/sanitizer/async.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* settings of the machine */
struct Options simt_options = {
    .count = true, .check = true, .step_limit = 400 * 1000 * 1000,
    .heap_bytes = 8 << 20,
};
struct Sampled simt_sampled;
void (*launch_ended)(const struct Launch *l);
static uint64_t launches;

struct Dim3 thread_index(const struct Warp *w, int lane)
{
    struct Dim3 n = w->block->launch->block;
    uint32_t t = (uint32_t)(w->index * LANES + lane);
    return (struct Dim3){ t % n.x, t / n.x % n.y, t / n.x / n.y };
}

/* is this launch possible */
/* What is declared, and from the next multiple of the alignment on what is
 * asked for. */
size_t shared_of(const struct Kernel *k, size_t dynamic)
{
    size_t align = k->dynamic_align;
    return !dynamic ? k->static_shared : dynamic > MAX_SHARED ? dynamic :
           ((k->static_shared + align - 1) & ~(align - 1)) + dynamic;
}

static bool possible(const struct Kernel *k, struct Dim3 grid,
                     struct Dim3 block, size_t dynamic, struct Error *e)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX ||
        grid.y > 65535 || grid.z > 65535)
        return error_set(e, "kernel %.100s: a grid of %u x %u x %u blocks; "
            "each from 1, up to 2147483647 x 65535 x 65535", k->name,
            grid.x, grid.y, grid.z);
    if (!threads || block.x > MAX_THREADS || block.y > MAX_THREADS ||
        block.z > 64 || threads > MAX_THREADS)
        return error_set(e, "kernel %.100s: a block of %u x %u x %u "
            "threads; from 1 to %d, and 64 at most along z", k->name,
            block.x, block.y, block.z, MAX_THREADS);
    if (k->max_threads && threads > k->max_threads)
        return error_set(e, "kernel %.100s: a block of %llu threads; its "
            "__launch_bounds__ allow %u", k->name,
            (unsigned long long)threads, k->max_threads);
    if (shared_of(k, dynamic) > MAX_SHARED)
        return error_set(e, "kernel %.100s: %u + %zu bytes of shared "
            "memory (declared + asked for); a block has %d", k->name,
            k->static_shared, dynamic, MAX_SHARED);
    return true;
}

/* is this cluster possible */
static bool possible_cluster(const struct Kernel *k, struct Dim3 grid,
                             struct Dim3 c, struct Error *e)
{
    uint64_t n = (uint64_t)c.x * c.y * c.z;
    if (!n || n > MAX_CLUSTER)
        return error_set(e, "kernel %.100s: a cluster of %u x %u x %u "
            "blocks; from 1 to %d", k->name, c.x, c.y, c.z, MAX_CLUSTER);
    if (grid.x % c.x || grid.y % c.y || grid.z % c.z)
        return error_set(e, "kernel %.100s: a grid of %u x %u x %u blocks "
            "is no number of clusters of %u x %u x %u", k->name, grid.x,
            grid.y, grid.z, c.x, c.y, c.z);
    return true;
}

/* copy the arguments */
static bool copy_arguments(struct Launch *l, void **args, struct Error *e)
{
    const struct Kernel *k = l->kernel;
    l->params = calloc(1, k->param_bytes + 16);
    if (!l->params)
        fail("no memory for the arguments of a kernel");
    for (int i = 0; i < k->n_params; i++) {
        if (!args || !args[i])
            return error_set(e, "kernel %.100s: argument %d of %d is "
                             "missing", k->name, i + 1, k->n_params);
        memcpy(l->params + k->params[i].offset, args[i], k->params[i].size);
    }
    return true;
}

/* make warps */
static void *room_for(size_t bytes)
{
    void *p = NULL;
    bytes = (bytes + 4095) & ~(size_t)4095;
    if (posix_memalign(&p, 4096, bytes ? bytes : 4096))
        fail("no memory for the warps of a kernel: %zu bytes", bytes);
    memset(p, 0, bytes);
    return p;
}

static void make_warps(struct Block *b)
{
    const struct Kernel *k = b->launch->kernel;
    b->warps = (b->threads + LANES - 1) / LANES;
    b->warp = calloc((size_t)b->warps, sizeof *b->warp);
    uint32_t units = (k->units + 15) & ~15u;
    uint32_t *files = room_for((size_t)b->warps * units * 4);
    unsigned char *local = room_for((size_t)b->warps * LANES *
                                    k->local_bytes);
    struct Path *paths = room_for((size_t)b->warps * MAX_PATHS *
                                  sizeof *paths);
    if (!b->warp)
        fail("no memory for the warps of a kernel");
    for (int i = 0; i < b->warps; i++)
        b->warp[i] = (struct Warp){
            .block = b, .index = i, .file = files + (size_t)i * units,
            .local = local + (size_t)i * LANES * k->local_bytes,
            .path = paths + (size_t)i * MAX_PATHS };
}

static void free_warps(struct Block *b)
{
    for (int i = 0; i < b->warps; i++)
        async_free(b->warp[i].async);
    free(b->warp[0].file);
    free(b->warp[0].local);
    free(b->warp[0].path);
    free(b->warp);
}

/* fill the constant registers */
/* a block that is no cluster's */
static enum ConstantKind alone(enum ConstantKind kind)
{
    switch (kind) {
    case CONSTANT_CLUSTER_X: return CONSTANT_CTAID_X;
    case CONSTANT_CLUSTER_Y: return CONSTANT_CTAID_Y;
    case CONSTANT_CLUSTER_Z: return CONSTANT_CTAID_Z;
    case CONSTANT_NCLUSTER_X: return CONSTANT_NCTAID_X;
    case CONSTANT_NCLUSTER_Y: return CONSTANT_NCTAID_Y;
    case CONSTANT_NCLUSTER_Z: return CONSTANT_NCTAID_Z;
    case CONSTANT_CLUSTER_NCTAID_X: case CONSTANT_CLUSTER_NCTAID_Y:
    case CONSTANT_CLUSTER_NCTAID_Z: case CONSTANT_CLUSTER_BLOCKS:
        return CONSTANT_ONE;
    case CONSTANT_CLUSTER_CTAID_X: case CONSTANT_CLUSTER_CTAID_Y:
    case CONSTANT_CLUSTER_CTAID_Z: case CONSTANT_CLUSTER_RANK:
    case CONSTANT_IS_CLUSTER:
        return CONSTANT_ZERO;
    default: return kind;
    }
}

static uint32_t same_for_all(const struct Warp *w, enum ConstantKind kind)
{
    const struct Launch *l = w->block->launch;
    const struct Dim3 *at = &w->block->index;
    switch (l->workspace ? alone(kind) : kind) {
    case CONSTANT_NTID_X: return l->block.x;
    case CONSTANT_NTID_Y: return l->block.y;
    case CONSTANT_NTID_Z: return l->block.z;
    case CONSTANT_CTAID_X: return at->x;
    case CONSTANT_CTAID_Y: return at->y;
    case CONSTANT_CTAID_Z: return at->z;
    case CONSTANT_NCTAID_X: return l->grid.x;
    case CONSTANT_NCTAID_Y: return l->grid.y;
    case CONSTANT_NCTAID_Z: return l->grid.z;
    case CONSTANT_WARPID: return (uint32_t)w->index;
    case CONSTANT_NWARPID: return (uint32_t)w->block->warps;
    case CONSTANT_DYNAMIC_SHARED: return (uint32_t)l->dynamic_shared;
    case CONSTANT_TOTAL_SHARED: return (uint32_t)w->block->shared_bytes;
    case CONSTANT_ONE: return 1;
    /* values of a cluster's constants */
    case CONSTANT_CLUSTER_CTAID_X: return w->block->rank % l->cluster.x;
    case CONSTANT_CLUSTER_CTAID_Y:
        return w->block->rank / l->cluster.x % l->cluster.y;
    case CONSTANT_CLUSTER_CTAID_Z:
        return w->block->rank / l->cluster.x / l->cluster.y;
    case CONSTANT_CLUSTER_NCTAID_X: return l->cluster.x;
    case CONSTANT_CLUSTER_NCTAID_Y: return l->cluster.y;
    case CONSTANT_CLUSTER_NCTAID_Z: return l->cluster.z;
    case CONSTANT_CLUSTER_X: return w->block->cluster->index.x;
    case CONSTANT_CLUSTER_Y: return w->block->cluster->index.y;
    case CONSTANT_CLUSTER_Z: return w->block->cluster->index.z;
    case CONSTANT_NCLUSTER_X: return l->grid.x / l->cluster.x;
    case CONSTANT_NCLUSTER_Y: return l->grid.y / l->cluster.y;
    case CONSTANT_NCLUSTER_Z: return l->grid.z / l->cluster.z;
    case CONSTANT_CLUSTER_RANK: return w->block->rank;
    case CONSTANT_CLUSTER_BLOCKS: return (uint32_t)w->block->cluster->n;
    case CONSTANT_IS_CLUSTER: return l->clustered;
    /* values of a cooperative grid's constants */
    case CONSTANT_WORKSPACE_LOW: return (uint32_t)l->workspace;
    case CONSTANT_WORKSPACE_HIGH: return (uint32_t)(l->workspace >> 32);
    default: return 0;
    }
}

static uint32_t of_lane(const struct Warp *w, enum ConstantKind kind, int l)
{
    uint32_t bit = lane_bit[l];
    switch (kind) {
    case CONSTANT_TID_X: return thread_index(w, l).x;
    case CONSTANT_TID_Y: return thread_index(w, l).y;
    case CONSTANT_TID_Z: return thread_index(w, l).z;
    case CONSTANT_LANEID: return (uint32_t)l;
    case CONSTANT_MASK_EQ: return bit;
    case CONSTANT_MASK_LE: return bit | (bit - 1);
    case CONSTANT_MASK_LT: return bit - 1;
    case CONSTANT_MASK_GE: return ~(bit - 1);
    case CONSTANT_MASK_GT: return ~(bit | (bit - 1));
    default: return same_for_all(w, kind);
    }
}

static void fill_constants(struct Warp *w)
{
    const struct Kernel *k = w->block->launch->kernel;
    for (int i = 0; i < k->n_constants; i++) {
        const struct Constant *c = &k->constants[i];
        uint32_t *to = w->file + c->unit;
        for (int l = 0; l < LANES; l++)
            if (c->kind == CONSTANT_LONG)
                memcpy(to + 2 * l, &c->value, 8);
            else if (c->kind == CONSTANT_BITS)
                to[0] = (uint32_t)c->value;
            else
                to[l] = c->kind == CONSTANT_WORD ? (uint32_t)c->value
                                                 : of_lane(w, c->kind, l);
    }
}

/* begin a block */
static void begin_block(struct Block *b, uint64_t n)
{
    struct Launch *l = b->launch;
    const struct Kernel *k = l->kernel;
    b->linear = n;
    b->index = (struct Dim3){ (uint32_t)(n % l->grid.x),
        (uint32_t)(n / l->grid.x % l->grid.y),
        (uint32_t)(n / l->grid.x / l->grid.y) };
    b->steps = 0;
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->shared, 0xff, b->shared_bytes);
    for (int i = 0; i < b->warps; i++) {
        struct Warp *w = &b->warp[i];
        int lanes = b->threads - i * LANES;
        w->alive = lanes >= LANES ? ALL_LANES : (1u << lanes) - 1;
        w->active = w->alive;
        w->pc = 0;
        w->state = WARP_READY;
        w->used = w->ages = 0;
        w->stuck = false;
        w->waits.block = NULL;
        w->polls = w->turns = w->patience = w->waiting = 0;
        memset(w->poll, 0, sizeof w->poll);
        w->now = path_new(w, (struct Path){ .meet = -1, .parent = -1,
                                            .lanes = w->alive });
        for (int c = 0; c < k->n_constants; c++)
            if (k->constants[c].kind >= CONSTANT_CTAID_X &&
                k->constants[c].kind <= CONSTANT_CLUSTER_Z)
                for (int j = 0; j < LANES; j++)
                    w->file[k->constants[c].unit + (unsigned)j] =
                        same_for_all(w, k->constants[c].kind);
    }
}

/* the blocks of a cluster */
static uint64_t linear_of(const struct Cluster *c, uint32_t rank)
{
    const struct Launch *l = c->launch;
    const struct Dim3 *n = &l->cluster, *g = &l->grid;
    uint64_t x = (uint64_t)c->index.x * n->x + rank % n->x;
    uint64_t y = (uint64_t)c->index.y * n->y + rank / n->x % n->y;
    uint64_t z = (uint64_t)c->index.z * n->z + rank / n->x / n->y;
    return x + g->x * (y + g->y * z);
}

static void make_block(struct Cluster *c, int rank)
{
    struct Launch *l = c->launch;
    struct Block *b = &c->block[rank];
    *b = (struct Block){ .launch = l, .cluster = c,
                         .rank = (uint32_t)rank };
    b->threads = (int)(l->block.x * l->block.y * l->block.z);
    b->shared_bytes = shared_of(l->kernel, l->dynamic_shared);
    b->shared = room_for(b->shared_bytes);
    make_warps(b);
    for (int i = 0; i < b->warps; i++)
        fill_constants(&b->warp[i]);
}

static void begin_cluster(struct Cluster *c, uint64_t n)
{
    struct Launch *l = c->launch;
    uint32_t x = l->grid.x / l->cluster.x, y = l->grid.y / l->cluster.y;
    c->index = (struct Dim3){ (uint32_t)(n % x), (uint32_t)(n / x % y),
                              (uint32_t)(n / x / y) };
    c->arrived = c->phase = 0;
    for (int r = 0; r < c->n; r++) {
        begin_block(&c->block[r], linear_of(c, (uint32_t)r));
        hopper_begin(&c->block[r]);
        if (l->check)
            check_block_begin(&c->block[r]);
    }
}

static void end_cluster(struct Cluster *c)
{
    for (int r = 0; r < c->n; r++) {
        struct Block *b = &c->block[r];
        if (c->n > 1 && b->launch->check)
            check_block_turn(b);
        if (c->launch->fault == FAULT_NONE)
            hopper_end(b);
        wgmma_block_end(b);
        if (c->launch->check)
            check_block_end(b);
    }
}

/* count and check every k-th */
/* Cluster n is about to run.  What blocks do in between is not known, so
 * each that is seen is compared with none before. */
static void look_at(struct Launch *l, uint64_t n, struct Site *site,
                    bool check)
{
    uint64_t blocks = (uint64_t)l->cluster.x * l->cluster.y * l->cluster.z;
    bool seen = n % l->sample == 0;
    l->site = seen ? site : NULL;
    l->check = seen && check;
    l->seen += seen ? blocks : 0;
    if (n && l->check && l->sample > 1)
        check_launch_begin(l);
}

static void end_sample(struct Launch *l, uint64_t blocks, struct Site *site,
                       bool check)
{
    l->site = site;
    l->check = check;
    if (l->sample > 1) {
        simt_sampled.blocks += blocks;
        simt_sampled.seen += l->seen;
    }
}
static void run_grid(struct Launch *l)
{
    struct Cluster c = { .launch = l };
    struct Site *site = l->site;
    const bool check = l->check;
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    c.n = (int)(l->cluster.x * l->cluster.y * l->cluster.z);
    c.block = calloc((size_t)c.n, sizeof *c.block);
    if (!c.block)
        fail("no memory for the blocks of a cluster");
    for (int r = 0; r < c.n; r++)
        make_block(&c, r);
    for (uint64_t n = 0; n < blocks / (unsigned)c.n &&
                         l->fault == FAULT_NONE; n++) {
        look_at(l, n, site, check);
        begin_cluster(&c, n);
        run_cluster(&c);
        end_cluster(&c);
        clock_base += c.block[0].steps;
    }
    end_sample(l, blocks, site, check);
    for (int r = 0; r < c.n; r++) {
        hopper_free(&c.block[r]);
        free_warps(&c.block[r]);
        free(c.block[r].shared);
    }
    free(c.block);
}

/* spread the counts */
static void spread_counts(struct Launch *l)
{
    struct Site *first = NULL;
    for (int k = 0; k < l->kernel->instructions; k++) {
        const struct Instruction *i = &l->kernel->code[k];
        struct Site *s = &l->site[k];
        if (!first)
            first = s;
        s->executed = first->executed;
        s->active = first->active;
        if (!i->guarded)
            s->on = s->active;
        if (i->ends)
            first = NULL;
    }
}

/* launch a kernel */
static bool run_launch(struct Launch l, void **args, enum Fault *fault,
                       struct Error *e)
{
    const struct Kernel *k = l.kernel;
    enum Fault ignored;
    fault = fault ? fault : &ignored;
    *fault = FAULT_CONFIGURATION;
    l.device = device_current;
    l.check = simt_options.check;
    l.wide = wide_lanes();
    if (!possible(k, l.grid, l.block, l.dynamic_shared, e) ||
        (!l.workspace && !possible_cluster(k, l.grid, l.cluster, e)))
        return false;
    if (!copy_arguments(&l, args, e)) {
        free(l.params);
        return false;
    }
    l.number = ++launches;
    /* run it, counted and checked */
    struct Touched touched;
    if (simt_options.count && launch_ended) {
        l.site = calloc((size_t)k->instructions, sizeof *l.site);
        if (!l.site)
            fail("no memory for the counts of kernel %s", k->name);
        if (memory.bytes) {
            touched_new(&touched, memory.base, memory.bytes);
            l.touched = &touched;
        }
    }
    uint64_t blocks = (uint64_t)l.grid.x * l.grid.y * l.grid.z;
    bool one = blocks == (uint64_t)l.cluster.x * l.cluster.y * l.cluster.z;
    l.sample = simt_options.sample > 1 && !one ? simt_options.sample : 1;
    if (l.check)
        check_launch_begin(&l);
    run_grid(&l);
    if (l.check)
        check_launch_end(&l);
    if (l.site) {
        spread_counts(&l);
        launch_ended(&l);
    }
    if (l.touched)
        touched_free(l.touched);
    free(l.site);
    free(l.params);
    *fault = l.fault;
    return l.fault == FAULT_NONE || error_set(e, "%s", l.error.text);
}

bool simt_launch_cluster(const struct Kernel *k, struct Dim3 grid,
                         struct Dim3 block, struct Dim3 cluster,
                         size_t dynamic_shared, void **args,
                         enum Fault *fault, struct Error *e)
{
    const bool asked = cluster.x || cluster.y || cluster.z;
    struct Launch l = { .kernel = k, .grid = grid, .block = block,
                        .cluster = asked ? cluster
                                         : (struct Dim3){ 1, 1, 1 },
                        .clustered = asked,
                        .dynamic_shared = dynamic_shared };
    return run_launch(l, args, fault, e);
}

bool simt_launch_cooperative(const struct Kernel *k, struct Dim3 grid,
                             struct Dim3 block, uint64_t workspace,
                             size_t dynamic_shared, void **args,
                             enum Fault *fault, struct Error *e)
{
    struct Launch l = { .kernel = k, .grid = grid, .block = block,
                        .cluster = grid, .workspace = workspace,
                        .dynamic_shared = dynamic_shared };
    return run_launch(l, args, fault, e);
}

bool simt_launch(const struct Kernel *k, struct Dim3 grid,
                 struct Dim3 block, size_t dynamic_shared, void **args,
                 enum Fault *fault, struct Error *e)
{
    return simt_launch_cluster(k, grid, block, (struct Dim3){ 0, 0, 0 },
                               dynamic_shared, args, fault, e);
}
