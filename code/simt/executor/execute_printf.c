/* Tangled from chapters/workshop/ptx.nw, "printf".  Edit it there. */

#include "simt/executor/execute.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* a byte at a generic address */
/* NULL: there is none. */
static const unsigned char *generic_byte(const struct Warp *w, int lane,
                                         uint64_t address, size_t bytes)
{
    const struct Launch *launch = w->block->launch;
    size_t local = launch->kernel->local_bytes;
    uint64_t at = address - LOCAL_WINDOW;
    if (at < local && bytes <= local - at)
        return frame_of(w, lane) + at;
    at = address - SHARED_WINDOW;
    if (at < w->block->shared_bytes && bytes <= w->block->shared_bytes - at)
        return w->block->shared + at;
    return memory_holds(address, bytes) ? memory_bytes(address) : NULL;
}

static void copy_string(const struct Warp *w, int lane, uint64_t address,
                        char *to, size_t size)
{
    size_t n = 0;
    for (; n + 1 < size; n++, address++) {
        const unsigned char *p = generic_byte(w, lane, address, 1);
        if (!p || !*p)
            break;
        to[n] = (char)*p;
    }
    to[n] = 0;
}

/* print one conversion */
/* %[flags][width][.precision][length]conversion, at `format`; returns what
 * follows it.  Arguments lie one after the other, each aligned to its
 * size: 4 bytes for int, 8 for long, pointers and double. */
static const char *print_one(const struct Warp *w, int lane,
                             const char *format, uint64_t *args)
{
    char one[40], text[1024];
    size_t n = strspn(format + 1, "-+ #0123456789.") + 1;
    size_t length = strspn(format + n, "hljzt");
    bool wide = memchr(format + n, 'l', length) ||
                memchr(format + n, 'z', length) ||
                memchr(format + n, 'j', length);
    char kind = format[n + length];
    if (!kind || n > 20 || length > 2)
        return format + strlen(format);
    wide |= strchr("fFeEgGaApsn", kind) != NULL;
    size_t size = wide ? 8 : 4;
    *args = (*args + size - 1) & ~(uint64_t)(size - 1);
    const unsigned char *p = generic_byte(w, lane, *args, size);
    uint64_t bits = 0;
    double number;
    if (p)
        memcpy(&bits, p, size);
    memcpy(&number, &bits, sizeof number);
    *args += size;
    memcpy(one, format, n);
    snprintf(one + n, sizeof one - n, "%s%c", wide ? "ll" : "", kind);
    if (strchr("fFeEgGaA", kind)) {
        snprintf(one + n, sizeof one - n, "%c", kind);
        printf(one, number);
    } else if (kind == 's') {
        snprintf(one + n, sizeof one - n, "s");
        copy_string(w, lane, bits, text, sizeof text);
        printf(one, text);
    } else if (kind == 'p') {
        printf("0x%llx", (unsigned long long)bits);
    } else if (strchr("diouxXc", kind)) {
        if (wide)
            printf(one, (unsigned long long)bits);
        else
            printf(one, (unsigned)bits);
    }
    return format + n + length + 1;
}

/* printf of a lane */
void run_printf(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    for (uint32_t m = on; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        const unsigned char *frame = frame_of(w, lane);
        uint64_t format, args;
        char text[4096];
        memcpy(&format, frame + i->offset, 8);
        memcpy(&args, frame + i->offset2, 8);
        copy_string(w, lane, format, text, sizeof text);
        for (const char *p = text; *p;) {
            if (p[0] == '%' && p[1] == '%') {
                putchar('%');
                p += 2;
            } else if (*p == '%') {
                p = print_one(w, lane, p, &args);
            } else {
                putchar(*p++);
            }
        }
    }
}

void run_assert(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    int lane = __builtin_ctz(on);
    struct Dim3 t = thread_index(w, lane);
    uint64_t what;
    char text[256];
    memcpy(&what, frame_of(w, lane) + i->offset, 8);
    copy_string(w, lane, what, text, sizeof text);
    launch_fault(w, FAULT_ASSERT, "thread (%u,%u,%u): assertion '%s' "
                 "failed", t.x, t.y, t.z, text);
}

/* launch a child of each lane */
static struct Child *children, **last_child = &children;

struct Child *child_next(void)
{
    struct Child *c = children;
    if (c && !(children = c->next))
        last_child = &children;
    return c;
}

/* Is this the kernel's name, and its end?  Both are mangled; names that
 * are abbreviated, as S1_, have other numbers there. */
static bool names(const char *at, const char *kernel)
{
    const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    while (*kernel) {
        if (*at != *kernel)
            return false;
        if (*at == 'S') {
            size_t n = strspn(at + 1, digits);
            size_t m = strspn(kernel + 1, digits);
            if (at[1 + n] == '_' && kernel[1 + m] == '_') {
                at += n + 1;
                kernel += m + 1;
            }
        }
        at++;
        kernel++;
    }
    return *at == 'E';
}

static const struct Kernel *kernel_of_tag(const struct Module *m,
                                          uint64_t tag)
{
    for (int s = 0; s < m->n_symbols; s++) {
        const char *at = strstr(m->symbols[s].name, "XadL");
        if (m->symbols[s].address != tag || !at)
            continue;
        for (int k = 0; k < m->n_kernels; k++)
            if (names(at + 4, m->kernels[k].name))
                return &m->kernels[k];
    }
    return NULL;
}

static bool launch_child(struct Warp *w, int lane, uint64_t tag,
                         uint64_t at)
{
    const struct Module *m = w->block->launch->kernel->module;
    const struct Kernel *k = kernel_of_tag(m, tag);
    const unsigned char *p = generic_byte(w, lane, at, 32);
    uint32_t what[8] = { 0 };
    if (p)
        memcpy(what, p, sizeof what);
    p = p ? generic_byte(w, lane, at + 32, what[7]) : NULL;
    if (!p || !k || what[7] != k->param_bytes)
        return launch_fault(w, FAULT_INSTRUCTION, "a launch in a kernel: "
                            "its kernel or its arguments are not found");
    struct Child *c = xcalloc(1, sizeof *c);
    *c = (struct Child){ .kernel = k, .grid = { what[0], what[1], what[2] },
                         .block = { what[3], what[4], what[5] },
                         .dynamic_shared = what[6],
                         .params = xcalloc(k->param_bytes + 16, 1) };
    memcpy(c->params, p, what[7]);
    *last_child = c;
    last_child = &c->next;
    return true;
}

void run_child(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    for (uint32_t m = on; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        const unsigned char *frame = frame_of(w, lane);
        uint64_t tag, what;
        memcpy(&tag, frame + i->offset, 8);
        memcpy(&what, frame + i->offset2, 8);
        if (!launch_child(w, lane, tag, what))
            return;
    }
}
