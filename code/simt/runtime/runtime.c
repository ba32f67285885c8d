/* Tangled from chapters/workshop/simt-runtime.nw, "The library behind the calls".  Edit it there. */

#include "simt/include/cuda_runtime_api.h"

#include "base/clock.h"
#include "base/error.h"
#include "simt/counters/report.h"
#include "simt/counters/trace.h"
#include "simt/runtime/cards.h"
#include "simt/runtime/clusters.h"
#include "simt/runtime/names.h"
#include "simt/runtime/graph.h"
#include "simt/runtime/runtime.h"
#include "simt/sanitizer/check.h"
#include "simt/simt.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what clang's stubs call */
/* Declared by no header: clang knows them by name. */
struct Wrapper { int magic, version; const char *text; void *unused; };

void **__cudaRegisterFatBinary(struct Wrapper *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaRegisterFunction(void **handle, const void *host, char *device,
                           const char *name, int threads, uint3 *tid,
                           uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, void *host, char *device,
                       const char *name, int external, size_t bytes,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *bytes, void *stream);

/* saying what went wrong */
static _Thread_local cudaError_t last;
static cudaError_t sticky;
static bool launch_failed;      /* and nobody has asked since            */

cudaError_t cudaPeekAtLastError(void)
{
    launch_failed = false;
    return sticky ? sticky : last;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = cudaPeekAtLastError();
    last = cudaSuccess;
    return e;
}

cudaError_t refuse(cudaError_t code, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "simt: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " [%s]\n", cudaGetErrorName(code));
    return last = code;
}

const char *cudaGetErrorName(cudaError_t e)
{
    switch (e) {
#define NAME(number, name, sentence) case name: return #name;
    SIMT_ERRORS(NAME)
    SIMT_MORE_ERRORS(NAME)
#undef NAME
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t e)
{
    switch (e) {
#define SENTENCE(number, name, sentence) case name: return sentence;
    SIMT_ERRORS(SENTENCE)
    SIMT_MORE_ERRORS(SENTENCE)
#undef SENTENCE
    }
    return "unrecognized error code";
}

/* the tables of the library */
struct Image {                  /* the PTX of one .cu file      */
    const char *text;
    struct Module module;
    bool read;
    cudaError_t refused;        /* could not be read: said once */
    /* the values of its variables, as they begin, and of each device that
     * is not the one that the module's memory is for */
    unsigned char *initial, *kept[MOST_DEVICES];
};

struct Known {                  /* a kernel, or a variable      */
    const void *host;           /* its address in the program   */
    const char *name;           /* in the PTX                   */
    struct Image *image;
    const struct Kernel *kernel;
    const struct Symbol *symbol;
    size_t dynamic_limit;       /* bytes a launch may ask for   */
    int large_clusters;         /* of more than 8 blocks        */
    /* the cluster that the kernel declares */
    bool cluster_asked;             /* for                          */
    struct Dim3 cluster;            /* 0 x 0 x 0: none              */
};

/* A list that grows; its elements do not move. */
struct List { void **at; size_t n, room; };

static struct List images, kernels, variables, streams, events;

static void *list_keep(struct List *l, void *element)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->at = realloc(l->at, l->room * sizeof *l->at);
    }
    if (!l->at || !element)
        fail("simt: no memory for the tables of the runtime");
    return l->at[l->n++] = element;
}

static void *list_add(struct List *l, size_t bytes)
{
    return list_keep(l, calloc(1, bytes));
}

static bool list_has(const struct List *l, const void *element)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i] == element)
            return true;
    return false;
}

static void list_drop(struct List *l, void *element)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i] == element) {
            free(element);
            l->at[i] = l->at[--l->n];
            return;
        }
}

/* each device has its own variables */
/* Copy the variables of an image to `kept`, which is allocated if it is
 * NULL, or back from it. */
static unsigned char *variables_copy(const struct Image *image,
                                     unsigned char *kept, bool back)
{
    const struct Module *m = &image->module;
    size_t bytes = 0;
    for (int i = 0; i < m->n_symbols; i++)
        bytes += m->symbols[i].bytes;
    if (!kept && !(kept = malloc(bytes + 1)))
        fail("simt: no memory for the variables of another device");
    bytes = 0;
    for (int i = 0; i < m->n_symbols; i++) {
        const struct Symbol *v = &m->symbols[i];
        void *place = memory_bytes(v->address);
        memcpy(back ? place : kept + bytes, back ? kept + bytes : place,
               v->bytes);
        bytes += v->bytes;
    }
    return kept;
}

static void variables_follow(void)
{
    static int before;                  /* whose values are in place */
    if (before == device_current)
        return;
    for (size_t i = 0; i < images.n; i++) {
        struct Image *image = images.at[i];
        if (!image->initial)
            continue;
        unsigned char *mine = image->kept[device_current];
        image->kept[before] = variables_copy(image, image->kept[before],
                                             false);
        variables_copy(image, mine ? mine : image->initial, true);
    }
    before = device_current;
}

/* start the library */
static const struct Gpu *gpu;

static void at_the_end(void)
{
    report_end();
    if (launch_failed)
        check_problem(PROBLEM_LAUNCH, NULL, 0, "a kernel was not launched"
                      " (%s), and the program never asked: call"
                      " cudaGetLastError after each launch",
                      cudaGetErrorName(last));
    check_exit();
}

static void start(void)
{
    if (gpu) {
        variables_follow();
        return;
    }
    gpu = gpu_chosen();
    struct Error e;
    if (!check_configure(getenv("SIMT_CHECK"), &e))
        misuse("%s", e.text);
    const char *n = getenv("SIMT_DEVICES");
    devices = n ? atoi(n) : 1;
    if (devices < 1 || devices > MOST_DEVICES)
        misuse("SIMT_DEVICES=%s: a number from 1 to %d is expected", n,
               MOST_DEVICES);
    /* take a sample, if that is asked for */
    const char *sample = getenv("SIMT_SAMPLE");
    char *end = "";
    simt_options.sample = sample ? strtoull(sample, &end, 10) : 1;
    if (sample && (*end || *sample < '0' || *sample > '9' ||
                   !simt_options.sample))
        misuse("SIMT_SAMPLE=%s: a number from 1 on is expected: of how many "
               "blocks one is counted and checked", sample);
    /* trace a warp, if that is asked for */
    struct Trace t;
    const char *traced = getenv("SIMT_TRACE");
    if (traced && *traced) {
        if (!trace_read(&t, traced, &e))
            misuse("%s", e.text);
        trace_begin(t);
    }
    report_begin();
    atexit(at_the_end);
}

cudaError_t simt_enter(void)
{
    start();
    return sticky;
}

/* What every call does first: it waits for the calls of other threads,
 * and a lost context answers nothing. */
#define START()             \
    HOLD();                 \
    start();                \
    if (sticky)             \
        return sticky

/* find what a program names by its host address */
static cudaError_t read_image(struct Image *image)
{
    struct Error e;
    if (image->read)
        return image->refused ? (last = image->refused) : cudaSuccess;
    image->read = true;
    if (!module_read(&image->module, image->text, strlen(image->text), &e))
        image->refused = refuse(cudaErrorInvalidPtx, "%s", e.text);
    else if (devices > 1)
        image->initial = variables_copy(image, NULL, false);
    return image->refused;
}

static struct Known *known(const struct List *list, const void *host)
{
    for (size_t i = 0; i < list->n; i++) {
        struct Known *k = list->at[i];
        if (k->host == host)
            return k;
    }
    return NULL;
}

static cudaError_t find_kernel(struct Known **to, const void *host)
{
    struct Known *k = known(&kernels, host);
    if (!k)
        return refuse(cudaErrorInvalidDeviceFunction,
                      "%p is no kernel of this program: pass the name of a "
                      "__global__ function", host);
    cudaError_t code = read_image(k->image);
    if (code)
        return code;
    if (!k->kernel)
        k->kernel = module_kernel(&k->image->module, k->name);
    if (!k->kernel)
        return refuse(cudaErrorInvalidDeviceFunction,
                      "kernel %s is not in its module", k->name);
    if (k->kernel->refused)
        return refuse(cudaErrorInvalidPtx, "%s", k->kernel->refused);
    *to = k;
    return cudaSuccess;
}

static cudaError_t find_variable(const struct Symbol **to, const void *host)
{
    struct Known *k = known(&variables, host);
    if (!k)
        return refuse(cudaErrorInvalidSymbol,
                      "%p is no variable of the device: pass the name of a "
                      "__device__ or __constant__ variable, not its "
                      "address", host);
    cudaError_t code = read_image(k->image);
    if (code)
        return code;
    k->symbol = module_symbol(&k->image->module, k->name);
    if (!k->symbol)
        return refuse(cudaErrorInvalidSymbol,
                      "variable %s is in no kernel that was compiled",
                      k->name);
    *to = k->symbol;
    return cudaSuccess;
}

/* registering */
void **__cudaRegisterFatBinary(struct Wrapper *wrapper)
{
    struct Image *image = list_add(&images, sizeof *image);
    image->text = wrapper->text;
    return (void **)image;
}

void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

static void note(struct List *list, void **handle, const void *host,
                 const char *name)
{
    struct Known *k = list_add(list, sizeof *k);
    *k = (struct Known){ .host = host, .name = name,
                         .image = (struct Image *)(void *)handle,
                         .dynamic_limit = MAX_STATIC_SHARED };
}

int __cudaRegisterFunction(void **handle, const void *host, char *device,
                           const char *name, int threads, uint3 *tid,
                           uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
    (void)name, (void)threads, (void)tid, (void)bid, (void)block;
    (void)grid, (void)warp;
    note(&kernels, handle, host, device);
    return 0;
}

void __cudaRegisterVar(void **handle, void *host, char *device,
                       const char *name, int external, size_t bytes,
                       int constant, int global)
{
    (void)name, (void)external, (void)bytes, (void)constant, (void)global;
    note(&variables, handle, host, device);
}

/* launching */
enum { NESTED = 16 };
static _Thread_local struct Configuration {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;
} pushed[NESTED];
static _Thread_local int depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t bytes,
                                     cudaStream_t stream)
{
    if (depth == NESTED)                /* this launch does not run */
        return (unsigned)refuse(cudaErrorIllegalState,
            "launches stand in one another's arguments more than %d "
            "deep", NESTED);
    pushed[depth++] = (struct Configuration){ grid, block, bytes, stream };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *bytes, void *stream)
{
    if (depth == 0)
        return refuse(cudaErrorIllegalState, "a kernel was called without "
                      "its launch: kernel<<<grid, block>>>(...)");
    struct Configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *bytes = c->bytes;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

static cudaError_t fits(const struct Known *k, dim3 grid, dim3 block,
                        size_t dynamic)
{
    char name[128];
    plain_name(name, sizeof name, k->kernel->name);
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    uint32_t allowed = k->kernel->max_threads;
    if (!grid.x || !grid.y || !grid.z || !threads)
        return refuse(cudaErrorInvalidValue,
                      "%s: a grid of (%u, %u, %u) blocks of (%u, %u, %u) "
                      "threads is empty: do not launch when there is "
                      "nothing to do", name, grid.x, grid.y, grid.z,
                      block.x, block.y, block.z);
    if (threads > MAX_THREADS || block.x > MAX_THREADS ||
        block.y > MAX_THREADS || block.z > 64)
        return refuse(cudaErrorInvalidValue,
                      "%s: a block of (%u, %u, %u) has %llu threads: at "
                      "most 1024 in all, and 64 in z", name, block.x,
                      block.y, block.z, (unsigned long long)threads);
    if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
        return refuse(cudaErrorInvalidValue,
                      "%s: a grid of (%u, %u, %u): at most 2147483647 in "
                      "x, 65535 in y and z; put the large size into x",
                      name, grid.x, grid.y, grid.z);
    if (allowed && threads > allowed)
        return refuse(cudaErrorInvalidValue,
                      "%s: %llu threads, but its __launch_bounds__ promise "
                      "at most %u", name, (unsigned long long)threads,
                      allowed);
    if (dynamic > MAX_SHARED ||
        k->kernel->static_shared + dynamic > k->dynamic_limit ||
        shared_of(k->kernel, dynamic) > gpu->shared_per_block)
        return refuse(cudaErrorInvalidValue,
                      "%s: %zu bytes of shared memory a block (%u "
                      "declared, %zu asked for), but at most %zu: up to "
                      "%zu after cudaFuncSetAttribute(kernel, "
                      "cudaFuncAttributeMaxDynamicSharedMemorySize, "
                      "bytes)",
                      name, k->kernel->static_shared + dynamic,
                      k->kernel->static_shared, dynamic, k->dynamic_limit,
                      gpu->shared_per_block);
    return cudaSuccess;
}

extern char __start_simt_managed[] __attribute__((weak));
extern char __stop_simt_managed[] __attribute__((weak));

static bool is_managed(const void *host)
{
    const char *p = host;
    return p >= __start_simt_managed && p < __stop_simt_managed;
}

static cudaError_t managed_copy(bool to_device, const void *image)
{
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < variables.n && !code; i++) {
        const struct Symbol *v = NULL;
        struct Known *k = variables.at[i];
        if (!is_managed(k->host) || (image && image != k->image))
            continue;
        if ((code = find_variable(&v, k->host)))
            break;
        unsigned char *bytes = memory_bytes(v->address);
        void *host = (void *)(uintptr_t)k->host;
        memcpy(to_device ? bytes : host, to_device ? host : bytes,
               v->bytes);
    }
    return code;
}

/* The values that they begin with are in the PTX only. */
void __cudaRegisterFatBinaryEnd(void **handle)
{
    bool any = false;
    for (size_t i = 0; i < variables.n; i++)
        any |= is_managed(((struct Known *)variables.at[i])->host);
    if (any) {
        start();
        managed_copy(false, handle);
    }
}

static cudaError_t code_of(enum Fault fault)
{
    switch (fault) {
    case FAULT_NONE:                return cudaSuccess;
    case FAULT_CONFIGURATION:       return cudaErrorInvalidValue;
    case FAULT_ILLEGAL_ADDRESS:     return cudaErrorIllegalAddress;
    case FAULT_MISALIGNED_ADDRESS:  return cudaErrorMisalignedAddress;
    case FAULT_TRAP:                return cudaErrorLaunchFailure;
    case FAULT_ASSERT:              return cudaErrorAssert;
    case FAULT_BARRIER:             return cudaErrorLaunchTimeout;
    case FAULT_TIMEOUT:             return cudaErrorLaunchTimeout;
    case FAULT_INSTRUCTION:         return cudaErrorIllegalInstruction;
    }
    return cudaErrorUnknown;
}

/* The machine knows a kernel by its name in the PTX, a reader by that in
 * the source. */
static void say_plainly(struct Error *e, const char *mangled)
{
    char name[128];
    char *at = strstr(e->text, mangled);
    plain_name(name, sizeof name, mangled);
    size_t n = strlen(name), m = strlen(mangled);
    if (at && n <= m) {
        memcpy(at, name, n);
        memmove(at + n, at + m, strlen(at + m) + 1);
    }
}

static bool is_stream(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy || s == cudaStreamPerThread ||
           list_has(&streams, s);
}

#define NEEDS_STREAM(s)                                                   \
    do {                                                                  \
        if (!is_stream(s))                                                \
            return refuse(cudaErrorInvalidResourceHandle,                 \
                          "%s: %p is no stream, or one that was "         \
                          "destroyed", __func__, (void *)(s));            \
    } while (0)

/* blocks that run at once */
static uint64_t workspace(void)
{
    static uint64_t address;
    struct Error e;
    if (!address && !memory_alloc(&address, 4, "the barrier of the grid",
                                  &e))
        fail("simt: no memory for the barrier of a grid: %s", e.text);
    memset(memory_bytes(address), 0, 4);
    return address;
}

static cudaError_t fit_at_once(const struct Known *k,
                               const struct Request *r)
{
    char name[128];
    plain_name(name, sizeof name, k->kernel->name);
    int threads = (int)(r->block.x * r->block.y * r->block.z);
    uint64_t blocks = (uint64_t)r->grid.x * r->grid.y * r->grid.z;
    uint64_t fit = (uint64_t)gpu->sms * (uint64_t)occupancy(gpu, threads,
        k->kernel->static_shared + r->bytes, registers_stated(name)).blocks;
    if (blocks > fit)
        return refuse(cudaErrorCooperativeLaunchTooLarge, "%s: %llu blocks"
                      ", but %llu are on the chip at the same time: let "
                      "each block do more", name,
                      (unsigned long long)blocks, (unsigned long long)fit);
    return cudaSuccess;
}

/* run the children */
static void run_children(void)
{
    for (struct Child *c; (c = child_next()); ) {
        struct Error e;
        enum Fault fault = FAULT_NONE;
        void **arguments = calloc((size_t)c->kernel->n_params + 1,
                                  sizeof *arguments);
        if (!arguments)
            fail("simt: no memory for the arguments of a kernel");
        for (int i = 0; i < c->kernel->n_params; i++)
            arguments[i] = c->params + c->kernel->params[i].offset;
        if (!sticky &&
            !simt_launch(c->kernel, c->grid, c->block, c->dynamic_shared,
                         arguments, &fault, &e)) {
            say_plainly(&e, c->kernel->name);
            refuse(code_of(fault), "launched by a kernel: %s", e.text);
            if (fault != FAULT_CONFIGURATION)
                sticky = code_of(fault);
        }
        free(arguments);
        free(c->params);
        free(c);
    }
}

/* use the cluster that a kernel declares */
static cudaError_t declared_cluster(struct Known *k, struct Dim3 *cluster)
{
    const struct Dim3 *own = &k->cluster;
    struct Error e;
    if (!k->cluster_asked && !cluster_declared(&k->cluster, k->host, &e))
        return refuse(cudaErrorInvalidValue, "kernel %s: %s", k->name,
                      e.text);
    k->cluster_asked = true;
    if (!own->x)
        return cudaSuccess;
    if (cluster->x && (cluster->x != own->x || cluster->y != own->y ||
                       cluster->z != own->z))
        return refuse(cudaErrorInvalidValue, "kernel %s: clusters of %u x "
                      "%u x %u blocks are asked for, and its __cluster_dims"
                      "__ are %u x %u x %u", k->name, cluster->x,
                      cluster->y, cluster->z, own->x, own->y, own->z);
    *cluster = *own;
    return cudaSuccess;
}

cudaError_t launch_now(const struct Request *r)
{
    struct Known *k = NULL;
    struct Error e;
    enum Fault fault = FAULT_NONE;
    struct Dim3 grid = { r->grid.x, r->grid.y, r->grid.z };
    struct Dim3 block = { r->block.x, r->block.y, r->block.z };
    struct Dim3 cluster = { r->cluster.x, r->cluster.y, r->cluster.z };
    cudaError_t code = find_kernel(&k, r->kernel);
    if (!code)
        code = fits(k, r->grid, r->block, r->bytes);
    if (!code)
        code = declared_cluster(k, &cluster);
    if (!code && r->cooperative)
        code = fit_at_once(k, r);
    if (!code)
        code = managed_copy(true, NULL);
    launch_failed = code != cudaSuccess;
    if (code)
        return code;
    bool went = r->cooperative
        ? simt_launch_cooperative(k->kernel, grid, block, workspace(),
                                  r->bytes, r->arguments, &fault, &e)
        : simt_launch_cluster(k->kernel, grid, block, cluster, r->bytes,
                              r->arguments, &fault, &e);
    if (!went) {
        sticky = code_of(fault);
        say_plainly(&e, k->kernel->name);
        refuse(sticky, "%s", e.text);
    }
    run_children();
    managed_copy(false, NULL);
    return cudaSuccess;             /* as on a card: the next call tells */
}

static cudaError_t launch(const struct Request *r)
{
    return capturing(r->stream) ? capture_launch(r) : launch_now(r);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                             void **arguments, size_t bytes,
                             cudaStream_t stream)
{
    START();
    NEEDS_STREAM(stream);
    return launch(&(struct Request){
        .kernel = kernel, .grid = grid, .block = block,
        .arguments = arguments, .bytes = bytes,
        .stream = stream });
}

/* launch with attributes */
static cudaError_t request_of(const cudaLaunchConfig_t *c,
                              struct Request *r)
{
    *r = (struct Request){ .grid = c->gridDim, .block = c->blockDim,
                           .bytes = c->dynamicSmemBytes,
                           .stream = c->stream };
    for (unsigned k = 0; k < c->numAttrs; k++) {
        const cudaLaunchAttribute *a = &c->attrs[k];
        if (a->id == cudaLaunchAttributeClusterDimension)
            r->cluster = (dim3){ a->val.clusterDim.x, a->val.clusterDim.y,
                                 a->val.clusterDim.z };
        if (a->id == cudaLaunchAttributeCooperative)
            r->cooperative = a->val.cooperative;
    }
    if (r->cooperative && (r->cluster.x > 1 || r->cluster.y > 1 ||
                           r->cluster.z > 1))
        return refuse(cudaErrorNotSupported, "cudaLaunchKernelExC: a "
                      "cooperative launch of clusters: the software GPU "
                      "has one or the other");
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c,
                                const void *kernel, void **arguments)
{
    struct Known *k = NULL;
    struct Request r;
    START();
    if (!c || (c->numAttrs && !c->attrs))
        return refuse(cudaErrorInvalidValue, "cudaLaunchKernelExC: the "
                      "configuration, or its attributes, are NULL");
    NEEDS_STREAM(c->stream);
    cudaError_t code = request_of(c, &r);
    const dim3 n = r.cluster;
    if (!code)
        code = find_kernel(&k, kernel);
    if (!code && (uint64_t)n.x * n.y * n.z > 8 && !k->large_clusters)
        code = refuse(cudaErrorInvalidValue, "cudaLaunchKernelExC: a "
                      "cluster of %u x %u x %u blocks; more than 8 only "
                      "after cudaFuncSetAttribute(kernel, cudaFuncAttribute"
                      "NonPortableClusterSizeAllowed, 1)", n.x, n.y, n.z);
    launch_failed = code != cudaSuccess;
    r.kernel = kernel;
    r.arguments = arguments;
    return code ? code : launch(&r);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters,
                                           const void *kernel,
                                           const cudaLaunchConfig_t *c)
{
    struct Known *k = NULL;
    struct Request r;
    START();
    if (!clusters || !c || (c->numAttrs && !c->attrs))
        return refuse(cudaErrorInvalidValue, "cudaOccupancyMaxActive"
                      "Clusters: an argument is NULL");
    cudaError_t code = find_kernel(&k, kernel);
    if (!code)
        code = request_of(c, &r);
    uint64_t blocks = (uint64_t)r.cluster.x * r.cluster.y * r.cluster.z;
    *clusters = code ? 0 : gpu->sms / (int)(blocks ? blocks : 1);
    return code;
}

/* launch a cooperative grid */
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid,
                                        dim3 block, void **arguments,
                                        size_t bytes, cudaStream_t stream)
{
    START();
    NEEDS_STREAM(stream);
    return launch(&(struct Request){
        .kernel = kernel, .grid = grid, .block = block,
        .cluster = { 1, 1, 1 }, .cooperative = true,
        .arguments = arguments, .bytes = bytes, .stream = stream });
}

/* the bytes of a kernel's arguments */
cudaError_t launch_sizes(const void *kernel, size_t **sizes, size_t *n)
{
    struct Known *k = NULL;
    cudaError_t code = find_kernel(&k, kernel);
    if (code)
        return code;
    *n = (size_t)k->kernel->n_params;
    if (!(*sizes = calloc(*n + 1, sizeof **sizes)))
        fail("simt: no memory for the arguments of a kernel node");
    for (size_t i = 0; i < *n; i++)
        (*sizes)[i] = k->kernel->params[i].size;
    return cudaSuccess;
}

/* memory */
cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    uint64_t address;
    struct Error e;
    START();
    if (!pointer)
        return refuse(cudaErrorInvalidValue, "cudaMalloc: the first "
                      "argument is NULL: pass the address of a pointer");
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (!memory_alloc(&address, bytes, NULL, &e))
        return refuse(cudaErrorMemoryAllocation, "cudaMalloc: %s", e.text);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    START();
    enum Visible kind = visible_find(pointer, NULL, NULL);
    if (kind == VISIBLE_MANAGED && visible_free(pointer))
        return cudaSuccess;
    if (!pointer || (kind < VISIBLE_PINNED &&
                     memory_free((uint64_t)(uintptr_t)pointer)))
        return cudaSuccess;
    check_bad_free((uint64_t)(uintptr_t)pointer);
    const struct Allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    if (a && kind < VISIBLE_PINNED)
        return refuse(cudaErrorInvalidValue, "cudaFree(%p): this is byte "
                      "%llu of an allocation: free the pointer that "
                      "cudaMalloc gave", pointer, (unsigned long long)
                      ((uint64_t)(uintptr_t)pointer - a->address));
    return refuse(cudaErrorInvalidValue,
                  on_device(pointer) && kind < VISIBLE_PINNED
                  ? "cudaFree(%p): it was freed before, or never allocated"
                  : "cudaFree(%p): this is memory of the host: use free or "
                    "cudaFreeHost", pointer);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t s)
{
    START();
    NEEDS_STREAM(s);
    return capturing(s) ? capture_alloc(s, pointer, bytes)
                        : cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t s)
{
    START();
    NEEDS_STREAM(s);
    return capturing(s) ? capture_free(s, pointer) : cudaFree(pointer);
}

/* Rows that begin at a multiple of 512 bytes, as on a card. */
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return refuse(cudaErrorMemoryAllocation, "cudaMallocPitch: %zu "
                      "rows of %zu bytes", height, *pitch);
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *to,
                                     const void *pointer)
{
    START();
    const struct Allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    enum Visible kind = visible_find(pointer, NULL, NULL);
    void *p = (void *)(uintptr_t)pointer, *seen = kind ? p : NULL;
    if (kind == VISIBLE_REGISTERED)
        cudaHostGetDevicePointer(&seen, p, 0);
    *to = (struct cudaPointerAttributes){
        .type = kind == VISIBLE_MANAGED ? cudaMemoryTypeManaged
              : kind ? cudaMemoryTypeHost
              : a ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered,
        .device = kind ? 0 : a ? a->device : -2,
        .devicePointer = a && !kind ? p : seen,
        .hostPointer = a && !kind ? NULL : p,
    };
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    size_t used;
    START();
    memory_totals(&used, total);
    *free_bytes = *total - used;
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                              unsigned flags)
{
    START();
    if (!pointer || !bytes || (flags & ~3u) || !flags)
        return refuse(cudaErrorInvalidValue, "cudaMallocManaged: %s",
                      !pointer ? "the first argument is NULL: pass the "
                                 "address of a pointer"
                      : !bytes ? "0 bytes"
                      : "the flags are cudaMemAttachGlobal or "
                        "cudaMemAttachHost");
    return visible_alloc(__func__, pointer, bytes, VISIBLE_MANAGED);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    START();
    if (!pointer)
        return refuse(cudaErrorInvalidValue, "cudaHostAlloc: the first "
                      "argument is NULL: pass the address of a pointer");
    *pointer = NULL;
    return bytes ? visible_alloc(__func__, pointer, bytes, VISIBLE_PINNED)
                 : cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer)
{
    START();
    if (pointer && (visible_find(pointer, NULL, NULL) != VISIBLE_PINNED ||
                    !visible_free(pointer)))
        return refuse(cudaErrorInvalidValue, "cudaFreeHost(%p): it does "
                      "not come from cudaMallocHost or cudaHostAlloc, or "
                      "was freed before", pointer);
    return cudaSuccess;
}

/* copying */
/* Is [p, p + bytes) of the device inside one allocation? */
static cudaError_t inside(const char *call, const char *which,
                          const void *p, size_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)p;
    if (memory_holds(address, bytes))
        return cudaSuccess;
    const struct Allocation *a = memory_find(address);
    if (!a)
        return refuse(cudaErrorInvalidValue, "%s: the %s %p is in no "
                      "allocation of the device: never allocated, or freed",
                      call, which, p);
    return refuse(cudaErrorInvalidValue, "%s: %zu bytes from byte %llu of "
                  "an allocation of %zu bytes: %llu too many", call, bytes,
                  (unsigned long long)(address - a->address), a->bytes,
                  (unsigned long long)(address - a->address + bytes -
                                       a->bytes));
}

static cudaError_t check_end(const char *call, const char *which,
                             const void *p, size_t bytes, bool device,
                             enum cudaMemcpyKind kind)
{
    if (!p)
        return refuse(cudaErrorInvalidValue, "%s: the %s is NULL", call,
                      which);
    if (kind != cudaMemcpyDefault && device != on_device(p) &&
        !visible_find(p, NULL, NULL))
        return refuse(cudaErrorInvalidValue, "%s: the %s %p is a pointer "
                      "of the %s, but the direction says %s: exchange the "
                      "arguments, or correct the direction", call, which, p,
                      device ? "host" : "device",
                      device ? "device" : "host");
    return on_device(p) ? inside(call, which, p, bytes) : cudaSuccess;
}

static cudaError_t copy(const char *call, void *to, const void *from,
                        size_t bytes, enum cudaMemcpyKind kind)
{
    if (bytes == 0)
        return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault)
        return refuse(cudaErrorInvalidMemcpyDirection,
                      "%s: %d is no direction", call, (int)kind);
    cudaError_t code = check_end(call, "destination", to, bytes,
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
        kind);
    if (!code)
        code = check_end(call, "source", from, bytes,
            kind == cudaMemcpyDeviceToHost ||
            kind == cudaMemcpyDeviceToDevice, kind);
    if (code)
        return code;
    /* move the bytes, and tell the sanitizer */
    uint64_t target = (uint64_t)(uintptr_t)to;
    uint64_t source = (uint64_t)(uintptr_t)from;
    bool read = on_device(from), written = on_device(to);
    if (simt_options.check && read && written)
        check_copied(target, source, bytes);
    else if (simt_options.check && read)
        check_host_reads(source, bytes);
    else if (simt_options.check && written)
        check_host_wrote(target, bytes);
    memmove(written ? memory_bytes(target) : to,
            read ? memory_bytes(source) : from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind)
{
    START();
    return copy("cudaMemcpy", to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t s)
{
    START();
    NEEDS_STREAM(s);
    if (capturing(s))
        return capture_rows(s, to, bytes, from, bytes, bytes, 1, kind);
    return copy("cudaMemcpyAsync", to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    START();
    if (width > to_pitch || width > from_pitch)
        return refuse(cudaErrorInvalidPitchValue, "cudaMemcpy2D: rows of "
                      "%zu bytes at pitches %zu and %zu overlap", width,
                      to_pitch, from_pitch);
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < height && !code; i++)
        code = copy("cudaMemcpy2D", (char *)to + i * to_pitch,
                    (const char *)from + i * from_pitch, width, kind);
    return code;
}

cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    START();
    if (bytes == 0)
        return cudaSuccess;
    if (!on_device(to))
        return refuse(cudaErrorInvalidValue, "cudaMemset: %p is no pointer "
                      "of the device: use memset", to);
    cudaError_t code = inside("cudaMemset", "destination", to, bytes);
    if (code)
        return code;
    uint64_t address = (uint64_t)(uintptr_t)to;
    memset(memory_bytes(address), byte, bytes);
    if (simt_options.check)
        check_host_wrote(address, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes,
                            cudaStream_t s)
{
    START();
    NEEDS_STREAM(s);
    if (capturing(s))
        return capture_set(s, &(cudaMemsetParams){
            to, bytes, (unsigned)byte, 1, bytes, 1 });
    return cudaMemset(to, byte, bytes);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int byte, size_t width,
                         size_t height)
{
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < height && !code; i++)
        code = cudaMemset((char *)to + i * pitch, byte, width);
    return code;
}

/* variables of the device */
static cudaError_t inside_variable(const char *call, void **p,
                                   const void *host, size_t bytes,
                                   size_t offset)
{
    const struct Symbol *s = NULL;
    cudaError_t code = find_variable(&s, host);
    if (code)
        return code;
    if (offset > s->bytes || bytes > s->bytes - offset)
        return refuse(cudaErrorInvalidValue, "%s: %zu bytes from byte %zu "
                      "of %s, which has %zu", call, bytes, offset, s->name,
                      s->bytes);
    *p = (void *)(uintptr_t)(s->address + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *p = NULL;
    START();
    cudaError_t code = inside_variable(__func__, &p, symbol, bytes, offset);
    if (!code && is_managed(symbol))
        memcpy((char *)(uintptr_t)symbol + offset, from, bytes);
    return code ? code : copy(__func__, p, from, bytes, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    void *p = NULL;
    START();
    cudaError_t code = inside_variable(__func__, &p, symbol, bytes, offset);
    return code ? code : copy(__func__, to, p, bytes, kind);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    START();
    return inside_variable(__func__, pointer, symbol, 0, 0);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    const struct Symbol *s = NULL;
    START();
    cudaError_t code = find_variable(&s, symbol);
    if (!code)
        *bytes = s->bytes;
    return code;
}

/* streams and events */
struct CUstream_st { unsigned flags; };
struct CUevent_st { unsigned flags; bool recorded; double seconds; };

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    START();
    *s = list_add(&streams, sizeof **s);
    (*s)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *s)
{
    return cudaStreamCreateWithFlags(s, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags,
                                         int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(s, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    START();
    *least = *greatest = 0;         /* no priorities */
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    START();
    if (!list_has(&streams, s))
        return refuse(cudaErrorInvalidResourceHandle, "cudaStreamDestroy: "
                      "%p is no stream, or was destroyed before",
                      (void *)s);
    list_drop(&streams, s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    START();
    NEEDS_STREAM(s);
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
    START();
    NEEDS_STREAM(s);
    *flags = list_has(&streams, s) ? s->flags : cudaStreamDefault;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    START();
    NEEDS_STREAM(s);
    *priority = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    return cudaStreamSynchronize(s);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data)
{
    START();
    NEEDS_STREAM(s);
    if (capturing(s))
        return capture_host(s, f, data);
    f(data);
    return cudaSuccess;
}

#define NEEDS_EVENT(e)                                                   \
    do {                                                                 \
        if (!list_has(&events, e))                                       \
            return refuse(cudaErrorInvalidResourceHandle,                \
                          "%s: %p is no event, or one that was "         \
                          "destroyed", __func__, (void *)(e));           \
    } while (0)

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    START();
    *e = list_add(&events, sizeof **e);
    (*e)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    return cudaEventCreateWithFlags(e, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    START();
    NEEDS_EVENT(e);
    list_drop(&events, e);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    START();
    NEEDS_EVENT(e);
    NEEDS_STREAM(s);
    if (capturing(s))
        capture_record(e, s);
    e->recorded = true;
    e->seconds = now_s();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    START();
    NEEDS_EVENT(e);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    return cudaEventSynchronize(e);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e,
                                unsigned flags)
{
    (void)flags;
    START();
    NEEDS_STREAM(s);
    NEEDS_EVENT(e);
    capture_wait(s, e);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from,
                                 cudaEvent_t to)
{
    static bool said;
    START();
    NEEDS_EVENT(from);
    NEEDS_EVENT(to);
    if ((from->flags | to->flags) & cudaEventDisableTiming)
        return refuse(cudaErrorInvalidResourceHandle,
                      "cudaEventElapsedTime: an event was created with "
                      "cudaEventDisableTiming");
    if (!from->recorded || !to->recorded)
        return refuse(cudaErrorInvalidResourceHandle,
                      "cudaEventElapsedTime: an event was never recorded");
    if (!said)
        fprintf(stderr, "simt: cudaEventElapsedTime gives the time that "
                "the simulation took; no GPU was timed (counts: "
                "SIMT_REPORT=table)\n");
    said = true;
    *ms = (float)(1e3 * (to->seconds - from->seconds));
    return cudaSuccess;
}

/* questions about the device */
cudaError_t cudaGetDeviceCount(int *count)
{
    START();
    *count = devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    START();
    *device = device_current;
    return cudaSuccess;
}

static cudaError_t known_device(const char *call, int device)
{
    if (device >= 0 && device < devices)
        return cudaSuccess;
    return refuse(cudaErrorInvalidDevice, "%s: device %d: there are %d, "
                  "numbered from 0; SIMT_DEVICES=N makes N of them", call,
                  device, devices);
}

cudaError_t cudaSetDevice(int device)
{
    START();
    const cudaError_t code = known_device("cudaSetDevice", device);
    if (code == cudaSuccess)
        device_current = device;
    return code;
}

cudaError_t cudaDeviceSynchronize(void)
{
    START();
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    start();
    sticky = last = cudaSuccess;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    START();
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    size_t used;
    START();
    cudaError_t code = known_device("cudaGetDeviceProperties", device);
    if (code)
        return code;
    *p = (struct cudaDeviceProp){
        .sharedMemPerBlock = MAX_STATIC_SHARED,
        .regsPerBlock = gpu->registers_per_sm,
        .warpSize = LANES,
        .memPitch = INT32_MAX,
        .maxThreadsPerBlock = MAX_THREADS,
        .maxThreadsDim = { MAX_THREADS, MAX_THREADS, 64 },
        .maxGridSize = { INT32_MAX, 65535, 65535 },
        .clockRate = gpu->clock_mhz * 1000,
        .totalConstMem = 65536,
        .major = gpu->major,
        .minor = gpu->minor,
        .multiProcessorCount = gpu->sms,
        .concurrentKernels = 1,
        .asyncEngineCount = 3,
        .deviceOverlap = 1,
        .unifiedAddressing = 1,
        .canMapHostMemory = 1,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .hostRegisterSupported = 1,
        .computePreemptionSupported = 1,
        .cooperativeLaunch = 1,
        .memoryPoolsSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .singleToDoublePrecisionPerfRatio = 2,
        .memoryClockRate = gpu->memory_mhz * 1000,
        .memoryBusWidth = gpu->bus_bits,
        .l2CacheSize = (int)gpu->l2_bytes,
        .maxThreadsPerMultiProcessor = gpu->threads_per_sm,
        .maxBlocksPerMultiProcessor = gpu->blocks_per_sm,
        .sharedMemPerMultiprocessor = gpu->shared_per_sm,
        .regsPerMultiprocessor = gpu->registers_per_sm,
        .sharedMemPerBlockOptin = gpu->shared_per_block,
        .reservedSharedMemPerBlock = 1024,
        /* say how large a texture may be */
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .surfaceAlignment = 512,
        .maxTexture1D = 131072,
        .maxTexture2D = { 131072, 65536 },
        .maxTexture2DLinear = { 131072, 65000, 2097120 },
        .maxTexture3D = { 16384, 16384, 16384 },
        .maxTexture1DLayered = { 32768, 2048 },
        .maxTexture2DLayered = { 32768, 32768, 2048 },
        .maxTextureCubemap = 32768,
    };
    memory_totals(&used, &p->totalGlobalMem);
    snprintf(p->name, sizeof p->name, "software GPU, described as %s",
             gpu->name);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr a,
                                   int device)
{
    struct cudaDeviceProp p;
    cudaError_t code = cudaGetDeviceProperties(&p, device);
    if (code)
        return code;
    switch (a) {
#define ATTRIBUTE(name, number, field) \
    case cudaDevAttr##name: *value = (int)p.field; break;
    SIMT_ATTRIBUTES(ATTRIBUTE)
    SIMT_MORE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
    default:
        return refuse(cudaErrorInvalidValue, "cudaDeviceGetAttribute: the "
                      "software GPU has no attribute %d", (int)a);
    }
    return cudaSuccess;
}

/* questions about a kernel */
cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute a, int value)
{
    struct Known *k = NULL;
    START();
    cudaError_t code = find_kernel(&k, kernel);
    if (code)
        return code;
    if (a == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (a == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        k->large_clusters = value;
        return cudaSuccess;
    }
    if (a != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return refuse(cudaErrorInvalidValue, "cudaFuncSetAttribute: %d is "
                      "no attribute that can be set", (int)a);
    if (value < 0 ||
        (size_t)value + k->kernel->static_shared > gpu->shared_per_block)
        return refuse(cudaErrorInvalidValue, "cudaFuncSetAttribute: %d "
                      "bytes of shared memory, with %u declared: a block "
                      "of the %s has at most %zu", value,
                      k->kernel->static_shared, gpu->name,
                      gpu->shared_per_block);
    k->dynamic_limit = (size_t)value + k->kernel->static_shared;
    if (k->dynamic_limit < MAX_STATIC_SHARED)
        k->dynamic_limit = MAX_STATIC_SHARED;
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache c)
{
    struct Known *k = NULL;
    (void)c;
    START();
    return find_kernel(&k, kernel);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *to,
                                  const void *kernel)
{
    struct Known *k = NULL;
    char name[128];
    START();
    cudaError_t code = find_kernel(&k, kernel);
    if (code)
        return code;
    plain_name(name, sizeof name, k->kernel->name);
    *to = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->kernel->static_shared,
        .localSizeBytes = k->kernel->local_bytes,
        .maxThreadsPerBlock = k->kernel->max_threads
                            ? (int)k->kernel->max_threads : MAX_THREADS,
        .numRegs = registers_stated(name),
        .ptxVersion = 80,
        .binaryVersion = gpu->major * 10 + gpu->minor,
        .maxDynamicSharedSizeBytes =
            (int)(k->dynamic_limit - k->kernel->static_shared),
    };
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_bytes)
{
    struct Known *k = NULL;
    char name[128];
    START();
    cudaError_t code = find_kernel(&k, kernel);
    if (code)
        return code;
    plain_name(name, sizeof name, k->kernel->name);
    *blocks = occupancy(gpu, threads,
                        k->kernel->static_shared + dynamic_bytes,
                        registers_stated(name)).blocks;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t dynamic_bytes,
    unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, kernel, threads, dynamic_bytes);
}
