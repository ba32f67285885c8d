/* Tangled from chapters/course/grader-gpu.nw, "A device with a clock".  Edit it there. */

#include "course/gpu.h"

#include "course/device.h"
#include "simt/runtime/names.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* grader: load the driver */
typedef uint64_t Address;       /* of the GPU's memory                   */

#define DRIVER(X)                                                        \
    X(init, "cuInit", (unsigned))                                        \
    X(error_text, "cuGetErrorString", (int, const char **))              \
    X(device, "cuDeviceGet", (int *, int))                               \
    X(device_name, "cuDeviceGetName", (char *, int, int))                \
    X(attribute, "cuDeviceGetAttribute", (int *, int, int))              \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                \
    X(use, "cuCtxSetCurrent", (void *))                                  \
    X(wait, "cuCtxSynchronize", (void))                                  \
    X(load, "cuModuleLoadData", (void **, const void *))                 \
    X(unload, "cuModuleUnload", (void *))                                \
    X(count, "cuModuleGetFunctionCount", (unsigned *, void *))           \
    X(list, "cuModuleEnumerateFunctions", (void **, unsigned, void *))   \
    X(function_name, "cuFuncGetName", (const char **, void *))           \
    X(parameter, "cuFuncGetParamInfo",                                   \
      (void *, size_t, size_t *, size_t *))                              \
    X(set, "cuFuncSetAttribute", (void *, int, int))                     \
    X(launch, "cuLaunchKernel",                                          \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned,         \
       unsigned, unsigned, void *, void **, void **))                    \
    X(alloc, "cuMemAlloc_v2", (Address *, size_t))                       \
    X(release, "cuMemFree_v2", (Address))                                \
    X(to_gpu, "cuMemcpyHtoD_v2", (Address, const void *, size_t))        \
    X(from_gpu, "cuMemcpyDtoH_v2", (void *, Address, size_t))            \
    X(copy, "cuMemcpyDtoDAsync_v2", (Address, Address, size_t, void *))  \
    X(fill, "cuMemsetD8Async", (Address, unsigned char, size_t, void *)) \
    X(event, "cuEventCreate", (void **, unsigned))                       \
    X(record, "cuEventRecord", (void *, void *))                         \
    X(elapsed, "cuEventElapsedTime", (float *, void *, void *))

#define FIELD(name, symbol, parameters) int (*name) parameters;
static struct { DRIVER(FIELD) } cu;

#define FIND(name, symbol, parameters)                                   \
    *(void **)&cu.name = dlsym(lib, missing = symbol);                   \
    if (!cu.name)                                                        \
        return error_set(e, "the driver has no %s; one for CUDA 12.4 "   \
                         "or later has", missing);

static bool load_driver(struct Error *e)
{
    const char *missing;
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (!lib)
        return error_set(e, "no driver of an NVIDIA GPU (libcuda.so.1) is "
                         "on this machine");
    DRIVER(FIND)
    return true;
}

/* False: the driver said no to `what`. */
static bool did(int result, const char *what, struct Error *e)
{
    const char *why = NULL;
    if (result == 0)
        return true;
    if (cu.error_text(result, &why) != 0 || !why)
        why = "unknown error";
    return error_set(e, "the GPU's driver cannot %s: %s (%d)", what, why,
                     result);
}

/* grader: open the GPU */
enum { L2_BYTES = 38, MAJOR = 75, MINOR = 76 };     /* attributes        */

static bool gpu_open(struct Error *e)
{
    void *context;
    int device;
    return load_driver(e) && did(cu.init(0), "start", e) &&
           did(cu.device(&device, 0), "find a GPU", e) &&
           did(cu.retain(&context, device), "open the GPU", e) &&
           did(cu.use(context), "open the GPU", e);
}

/* An attribute of the GPU; -1 if the driver does not know it. */
static int gpu_attribute(int what)
{
    int value = -1;
    return cu.attribute(&value, what, 0) == 0 ? value : -1;
}

/* grader: find the GPU in a process of its own */
struct Found { struct Card card; struct Error error; bool there; };

static void ask_driver(struct Found *f)
{
    f->there = gpu_open(&f->error) &&
               did(cu.device_name(f->card.name, sizeof f->card.name, 0),
                   "name the GPU", &f->error);
    int major = f->there ? gpu_attribute(MAJOR) : 0;
    snprintf(f->card.kind, sizeof f->card.kind, "sm_%d%d%s", major,
             f->there ? gpu_attribute(MINOR) : 0, major >= 9 ? "a" : "");
}

bool find_card(struct Card *card, struct Error *e)
{
    struct Found *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        return error_set(e, "no memory to ask for a GPU");
    error_set(&f->error, "the driver of the GPU does not answer");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(10);
        ask_driver(f);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    bool there = pid > 0 && f->there;
    *card = f->card;
    if (!there)
        error_set(e, "%s", f->error.text);
    munmap(f, sizeof *f);
    return there;
}

/* grader: read kernels for the GPU */
enum { MOST_KERNELS = 200 };
static void *module, *kernels[MOST_KERNELS];
static unsigned n_kernels;

static bool gpu_load(const char *image, size_t bytes, struct Error *e)
{
    char *copy = calloc(bytes + 1, 1);
    if (!copy)
        return error_set(e, "no memory for %zu bytes", bytes);
    memcpy(copy, image, bytes);
    bool ok = did(cu.load(&module, copy), "load the kernels", e) &&
              did(cu.count(&n_kernels, module), "count the kernels", e);
    if (n_kernels > MOST_KERNELS)
        n_kernels = MOST_KERNELS;
    ok = ok && did(cu.list(kernels, n_kernels, module),
                   "list the kernels", e);
    free(copy);
    return ok;
}
static void gpu_unload(void) { cu.unload(module); }

static const void *gpu_kernel(const char *name)
{
    char plain[200];
    const char *mangled;
    for (unsigned i = 0; i < n_kernels; i++) {
        if (cu.function_name(&mangled, kernels[i]) != 0)
            continue;
        plain_name(plain, sizeof plain, mangled);
        if (strcmp(plain, name) == 0)
            return kernels[i];
    }
    return NULL;
}

static size_t gpu_parameter(const void *kernel, int i)
{
    size_t offset, bytes;
    int result = cu.parameter((void *)(uintptr_t)kernel, (size_t)i, &offset,
                              &bytes);
    return result == 0 ? bytes : 0;
}

/* grader: memory of the GPU */
static bool gpu_alloc(uint64_t *address, size_t bytes, struct Error *e)
{
    return did(cu.alloc(address, bytes), "allocate memory", e) &&
           did(cu.fill(*address, 0xff, bytes, NULL), "fill memory", e);
}
static void gpu_release(uint64_t address) { cu.release(address); }

static bool gpu_store(uint64_t to, const void *from, size_t bytes,
                      struct Error *e)
{
    return !bytes || did(cu.to_gpu(to, from, bytes), "copy an array", e);
}
static bool gpu_fetch(void *to, uint64_t from, size_t bytes,
                      struct Error *e)
{
    return !bytes || did(cu.from_gpu(to, from, bytes), "copy a result", e);
}

/* grader: launch on the GPU */
static bool begin_launch(const void *kernel, const struct Shape *s,
                         void **args, struct Error *e)
{
    enum { MOST_SHARED = 8 };           /* an attribute of functions     */
    void *f = (void *)(uintptr_t)kernel;
    const struct Dim3 *g = &s->grid, *b = &s->block;
    if (s->shared > 48 << 10 &&
        !did(cu.set(f, MOST_SHARED, (int)s->shared), "give a block so much "
             "shared memory", e))
        return false;
    return did(cu.launch(f, g->x, g->y, g->z, b->x, b->y, b->z,
                         (unsigned)s->shared, NULL, args, NULL),
               "launch the kernel", e);
}

static bool gpu_launch(const void *kernel, struct Shape s, void **args,
                       struct Error *e)
{
    return begin_launch(kernel, &s, args, e) &&
           did(cu.wait(), "run the kernel", e);
}

/* grader: measure launches */
enum { WARM_UPS = 3, RUNS = 25 };

/* What a measurement has on the GPU. */
struct Clock {
    void *begin, *end;
    Address cold, from, to;     /* overwritten; copied                   */
    size_t cold_bytes, copy_bytes;
};

static bool clock_new(struct Clock *c, const struct Again *g,
                      struct Error *e)
{
    int l2 = gpu_attribute(L2_BYTES);
    c->cold_bytes = 2 * (size_t)(l2 > 0 ? l2 : 64 << 20);
    c->copy_bytes = ((size_t)(g->bytes / 2) + 15) / 16 * 16;
    return did(cu.event(&c->begin, 0), "make an event", e) &&
           did(cu.event(&c->end, 0), "make an event", e) &&
           gpu_alloc(&c->cold, c->cold_bytes, e) &&
           gpu_alloc(&c->from, c->copy_bytes, e) &&
           gpu_alloc(&c->to, c->copy_bytes, e);
}

static void clock_free(struct Clock *c)
{
    gpu_release(c->cold);
    gpu_release(c->from);
    gpu_release(c->to);
}

static bool launch_all(const struct Again *g, struct Error *e)
{
    void *args[MOST_ARGUMENTS];
    for (int i = 0; i < g->launches; i++) {
        const struct Launched *l = &g->launch[i];
        for (int k = 0; k < l->arguments; k++)
            args[k] = (void *)(uintptr_t)&l->argument[k].pointer;
        if (!begin_launch(l->kernel, &l->shape, args, e))
            return false;
    }
    return true;
}

static bool send_again(const struct Again *g, struct Error *e)
{
    for (int i = 0; i < g->sents; i++) {
        const struct Sent *s = &g->sent[i];
        if (!s->array->input &&
            !gpu_store(s->array->device, s->numbers, s->bytes, e))
            return false;
    }
    return true;
}

/* The time of the launches, or of the copy if g is NULL, in us. */
static bool run_once(double *us, struct Clock *c, const struct Again *g,
                     struct Error *e)
{
    float ms = 0;
    if ((g && !send_again(g, e)) ||
        !did(cu.fill(c->cold, 0, c->cold_bytes, NULL), "fill memory", e) ||
        !did(cu.record(c->begin, NULL), "record an event", e) ||
        !(g ? launch_all(g, e)
            : did(cu.copy(c->to, c->from, c->copy_bytes, NULL), "copy",
                  e)) ||
        !did(cu.record(c->end, NULL), "record an event", e) ||
        !did(cu.wait(), "run the kernel", e) ||
        !did(cu.elapsed(&ms, c->begin, c->end), "tell the time", e))
        return false;
    *us = 1000 * (double)ms;
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static struct Spread spread(double us[RUNS])
{
    qsort(us, RUNS, sizeof *us, compare_times);
    return (struct Spread){ us[RUNS / 2], us[0], us[RUNS - 1] };
}

static bool gpu_time(struct Timing *t, const struct Again *g,
                     struct Error *e)
{
    struct Clock c = { 0 };
    double launches[RUNS], copy[RUNS];
    bool ok = clock_new(&c, g, e);
    for (int i = -WARM_UPS; ok && i < RUNS; i++)
        ok = run_once(&launches[i < 0 ? 0 : i], &c, g, e) &&
             run_once(&copy[i < 0 ? 0 : i], &c, NULL, e);
    clock_free(&c);
    if (ok)
        *t = (struct Timing){ spread(launches), spread(copy), g->bytes };
    return ok;
}

const struct Device real_gpu = {
    .open = gpu_open, .load = gpu_load, .unload = gpu_unload,
    .kernel = gpu_kernel, .parameter = gpu_parameter,
    .alloc = gpu_alloc, .release = gpu_release, .store = gpu_store,
    .fetch = gpu_fetch, .launch = gpu_launch, .time = gpu_time,
};
