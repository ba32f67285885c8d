/* Tangled from chapters/workshop/ptx.nw, "The rest of the executor".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/lanes.h"

#include <stdlib.h>
#include <string.h>

/* copies on their way */
struct Copy {
    uint32_t lanes;
    int size;
    uint32_t group[LANES], to[LANES];
    unsigned char bytes[LANES][16];
};

/* Groups are counted by lane, as the lanes of a warp may commit apart. */
struct Async {
    struct Copy *copy;
    int n, room;
    uint32_t committed[LANES];
};

void async_free(struct Async *a)
{
    if (a)
        free(a->copy);
    free(a);
}

static struct Copy *new_copy(struct Warp *w)
{
    if (!w->async)
        w->async = calloc(1, sizeof *w->async);
    struct Async *a = w->async;
    if (a && a->n == a->room) {
        a->room = a->room ? 2 * a->room : 8;
        a->copy = realloc(a->copy, (size_t)a->room * sizeof *a->copy);
    }
    if (!a || !a->copy)
        fail("no memory for the copies of cp.async");
    return &a->copy[a->n++];
}

/* finish copies */
static void finish(struct Warp *w, uint32_t on, int64_t left);

/* Those of a lane arrive, for the mbarrier that waits for them. */
void async_finish(struct Warp *w, int lane)
{
    uint32_t active = w->active;
    finish(w, lane_bit[lane], -1);
    w->active = lane_bit[lane];
    if (w->block->launch->check)
        check_async_wait(w, -1);
    w->active = active;
}

/* Copies of the lanes in `on` whose group is older than the last `left`
 * that were committed arrive; left < 0: all, committed or not. */
static void finish(struct Warp *w, uint32_t on, int64_t left)
{
    struct Async *a = w->async;
    int kept = 0;
    for (int k = 0; a && k < a->n; k++) {
        struct Copy *c = &a->copy[k];
        for (uint32_t m = c->lanes & on; m; m &= m - 1) {
            int l = __builtin_ctz(m);
            if (left >= 0 && c->group[l] + left >= a->committed[l])
                continue;
            memcpy(w->block->shared + c->to[l], c->bytes[l],
                   (size_t)c->size);
            c->lanes &= ~lane_bit[l];
        }
        if (c->lanes)
            a->copy[kept++] = *c;
    }
    if (a)
        a->n = kept;
}

void async_end(struct Warp *w)
{
    finish(w, ALL_LANES, -1);
    if (w->async)
        memset(w->async->committed, 0, sizeof w->async->committed);
}

/* start a copy */
/* Lanes that may not read their source, or not write where they want. */
static void look_at_copy(struct Warp *w, struct Access *a)
{
    uint32_t all = a->lanes, reads = 0;
    uint64_t end = w->block->shared_bytes;
    for (int l = 0; l < LANES; l++)
        reads |= a->bytes[l] ? all & lane_bit[l] : 0;
    a->contiguous = a->uniform = false;
    a->illegal = a->misaligned = 0;
    a->lanes = reads;
    for (uint32_t m = reads ? access_outside(w, a) : 0; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct Allocation *at = memory_find(a->address[l]);
        if (!memory_holds(a->address[l], a->bytes[l])
            || (at->device >= 0 && at->device != w->block->launch->device))
            a->illegal |= lane_bit[l];
    }
    for (uint32_t m = a->lanes = all; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (a->to[l] > end || end - a->to[l] < (unsigned)a->size)
            a->illegal |= lane_bit[l];
        if ((a->to[l] | (reads & lane_bit[l] ? a->address[l] : 0)) &
            ((unsigned)a->size - 1))
            a->misaligned |= lane_bit[l];
    }
}

void run_async(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Access a = { .kind = i->access, .space = SPACE_GLOBAL,
                        .lanes = on, .size = i->size };
    const uint32_t *bytes = w->file + i->c[0];
    lane_addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, a.address);
    lane_addresses(w, i->b[0], i->flags & FLAG_B64, i->offset2, a.to);
    for (int l = 0; l < LANES; l++)
        a.bytes[l] = (uint8_t)(bytes[l] < (unsigned)i->size ? bytes[l]
                                                 : (unsigned)i->size);
    look_at_copy(w, &a);
    uint32_t bad = a.illegal | a.misaligned, lanes = on & ~bad;
    if (w->block->launch->check)
        lanes &= check_access(w, &a);
    if (bad)
        access_complain(w, &a);
    a.lanes = lanes;
    if (!lanes)
        return;
    /* take the bytes now, deliver them later */
    struct Copy *c = new_copy(w);
    c->lanes = lanes;
    c->size = i->size;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        c->group[l] = w->async->committed[l];
        c->to[l] = (uint32_t)a.to[l];
        memset(c->bytes[l], 0, sizeof c->bytes[l]);
        if (a.bytes[l])
            memcpy(c->bytes[l], memory_bytes(a.address[l]), a.bytes[l]);
        memset(w->block->shared + c->to[l], 0xff, (size_t)c->size);
    }
    access_count(w, &a);
}

/* commit and wait */
void run_async_commit(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    (void)i;
    if (w->async)
        for (int l = 0; l < LANES; l++)
            w->async->committed[l] += on >> l & 1;
    if (w->block->launch->check)
        check_async_commit(w);
}

void run_async_wait(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    finish(w, on, i->offset);
    if (w->block->launch->check)
        check_async_wait(w, (int)i->offset);
}

/* rows of a matrix */
/* Lane 8 m + r names row r of matrix m, 16 bytes. */
static bool look_at_rows(struct Warp *w, const struct Instruction *i,
                         uint32_t on, struct Access *a)
{
    *a = (struct Access){ .kind = i->access, .space = SPACE_SHARED,
                          .size = 16, .matrices = i->width };
    if (on != ALL_LANES) {
        launch_fault(w, FAULT_INSTRUCTION, "%.40s wants all 32 lanes",
                     i->name);
        return false;
    }
    a->lanes = i->width == 4 ? ALL_LANES : (1u << 8 * i->width) - 1;
    lane_addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, a->address);
    for (int l = 0; i->space == SPACE_GENERIC && l < LANES; l++)
        a->address[l] -= SHARED_WINDOW;
    return access_look(w, a);
}

/* ldmatrix */
void run_ldmatrix(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Access a;
    if (!look_at_rows(w, i, on, &a))
        return;
    for (int k = 0; k < i->width; k++) {
        uint16_t row[8][8] = { 0 };
        for (int r = 0; r < 8; r++)
            if (a.lanes >> (8 * k + r) & 1)
                memcpy(row[r], w->block->shared + a.address[8 * k + r], 16);
        for (int l = 0; l < LANES; l++) {
            int r = l / 4, c = l % 4 * 2;
            bool t = i->op == OP_TRANS;
            uint16_t low = t ? row[c][r] : row[r][c];
            uint16_t high = t ? row[c + 1][r] : row[r][c + 1];
            w->file[i->d[k] + (unsigned)l] = low | (uint32_t)high << 16;
        }
    }
    access_count(w, &a);
}

/* stmatrix */
void run_stmatrix(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Access a;
    if (!look_at_rows(w, i, on, &a))
        return;
    for (int k = 0; k < i->width; k++) {
        uint16_t row[8][8];
        for (int l = 0; l < LANES; l++) {
            int r = l / 4, c = l % 4 * 2;
            uint32_t word = w->file[i->b[k] + (unsigned)l];
            bool t = i->op == OP_TRANS;
            *(t ? &row[c][r] : &row[r][c]) = (uint16_t)word;
            *(t ? &row[c + 1][r] : &row[r][c + 1]) = (uint16_t)(word >> 16);
        }
        for (int r = 0; r < 8; r++)
            if (a.lanes >> (8 * k + r) & 1)
                memcpy(w->block->shared + a.address[8 * k + r], row[r], 16);
    }
    access_count(w, &a);
}
