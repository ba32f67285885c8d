/* Tangled from chapters/course/grader.nw, "Where a case is played".  Edit it there. */

#include "course/device.h"

#include "simt/runtime/names.h"
#include "simt/sanitizer/check.h"

#include <string.h>

static struct Module module;

/* read kernels for the software GPU */
static bool simt_open(struct Error *e) { (void)e; return true; }

static bool simt_load(const char *image, size_t bytes, struct Error *e)
{
    struct Error why;
    return module_read(&module, image, bytes, &why) ||
           error_set(e, "the software GPU cannot run it: %s", why.text);
}
static void simt_unload(void) { module_free(&module); }

static const void *simt_kernel(const char *name)
{
    char plain[200];
    for (int i = 0; i < module.n_kernels; i++) {
        plain_name(plain, sizeof plain, module.kernels[i].name);
        if (strcmp(plain, name) == 0)
            return &module.kernels[i];
    }
    return NULL;
}

static size_t simt_parameter(const void *kernel, int i)
{
    const struct Kernel *k = kernel;
    return i < k->n_params ? k->params[i].size : 0;
}

/* memory of the software GPU */
static bool simt_alloc(uint64_t *address, size_t bytes, struct Error *e)
{
    return memory_alloc(address, bytes, NULL, e);
}
static void simt_release(uint64_t address) { memory_free(address); }

static bool simt_store(uint64_t to, const void *from, size_t bytes,
                       struct Error *e)
{
    (void)e;
    memcpy(memory_bytes(to), from, bytes);
    check_host_wrote(to, bytes);
    return true;
}

static bool simt_fetch(void *to, uint64_t from, size_t bytes,
                       struct Error *e)
{
    (void)e;
    check_host_reads(from, bytes);
    memcpy(to, memory_bytes(from), bytes);
    return true;
}

/* launch on the software GPU */
static bool simt_run(const void *kernel, struct Shape s, void **args,
                     struct Error *e)
{
    enum Fault fault;
    struct Error why;
    return simt_launch(kernel, s.grid, s.block, s.shared, args, &fault,
                       &why) ||
           error_set(e, fault == FAULT_TIMEOUT ? "it did not end: %s"
                                               : "%s", why.text);
}

const struct Device software_gpu = {
    .open = simt_open, .load = simt_load, .unload = simt_unload,
    .kernel = simt_kernel, .parameter = simt_parameter,
    .alloc = simt_alloc, .release = simt_release, .store = simt_store,
    .fetch = simt_fetch, .launch = simt_run,
};
