/* A kernel as text, run on the software GPU: what test_simt*.c share. */
#ifndef TESTS_SIMT_FIXTURE_H
#define TESTS_SIMT_FIXTURE_H

#include "simt/simt.h"
#include "rows.h"

#define HEAD ".version 7.5\n.target sm_80\n.address_size 64\n"

/* out and in hold 8 bytes for each thread of the grid; at the start of the
 * body %r0 is the thread's number, %r1 its number in the block, %r2 the
 * block's, %r3 threads in a block, %r4 the argument n, %rd1 = out, %rd2 =
 * in, %rd3 and %rd4 the thread's own places there. */
#define OPENING HEAD ".visible .entry k(.param .u64 o, .param .u64 i," \
    " .param .u32 n)\n{\n" \
    ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>;\n" \
    ".reg .f32 %f<64>; .reg .b64 %rd<32>; .reg .f64 %fd<16>;\n" \
    "ld.param.u64 %rd1, [o]; ld.param.u64 %rd2, [i];\n" \
    "ld.param.u32 %r4, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" \
    "mov.u32 %r3, %ntid.x; mad.lo.s32 %r0, %r2, %r3, %r1;\n" \
    "mul.wide.u32 %rd5, %r0, 8; add.s64 %rd3, %rd1, %rd5;\n" \
    "add.s64 %rd4, %rd2, %rd5;\n"
#define KERNEL(body) OPENING body "\nret;\n}\n"
#define WAS 0x5aa5f00d5aa5f00dull       /* in `out` before the launch */

static struct Module module;
static bool sanitize;                   /* the next runs, too */

static inline void read_kernel(const char *text)
{
    struct Error e = { "" };
    if (!module_read(&module, text, strlen(text), &e))
        fail_msg("%s", e.text);
}

static inline uint64_t device(size_t bytes)
{
    struct Error e = { "" };
    uint64_t address = 0;
    if (!memory_alloc(&address, bytes, NULL, &e))
        fail_msg("%s", e.text);
    memset(memory_bytes(address), 0, bytes);
    return address;
}

/* Run kernel k of the text on `blocks` blocks of `threads`; in and out in
 * host memory, 8 bytes a thread; dynamic shared memory.  The fault. */
static inline enum Fault run_text(const char *text, int blocks, int threads,
                                  size_t dynamic, const uint64_t *in,
                                  uint64_t *out, uint32_t n,
                                  struct Error *e)
{
    size_t bytes = 8 * (size_t)blocks * (size_t)threads;
    enum Fault fault = FAULT_NONE;
    read_kernel(text);
    uint64_t o = device(bytes), i = device(bytes);
    for (size_t k = 0; k < bytes / 8; k++)
        ((uint64_t *)(void *)memory_bytes(o))[k] = WAS;
    if (in)
        memcpy(memory_bytes(i), in, bytes);
    simt_options.check = sanitize;
    simt_launch(module_kernel(&module, "k"),
                (struct Dim3){ (uint32_t)blocks, 1, 1 },
                (struct Dim3){ (uint32_t)threads, 1, 1 }, dynamic,
                (void *[]){ &o, &i, &n }, &fault, e);
    if (out)
        memcpy(out, memory_bytes(o), bytes);
    memory_free(o);
    memory_free(i);
    module_free(&module);
    return fault;
}

#endif
