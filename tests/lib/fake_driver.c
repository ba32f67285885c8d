/* A GPU's driver without a GPU, for tests/grade_gpu.sh: it runs the kernel
 * `add` (z, x, y, n) of what tests/lib/fake-nvcc has written.  Its clock says
 * 500 us for a launch and 250 us for a copy.  FAKE_GPU=none has no device,
 * FAKE_GPU=fault fails in the kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static float clock_ms, *events[8];
static int n_events, fault;
static size_t image_bytes = 1 << 20;

static int is(const char *what)
{
    const char *fake = getenv("FAKE_GPU");
    return fake && strcmp(fake, what) == 0;
}

int cuInit(unsigned flags) { return (int)flags; }
int cuGetErrorString(int error, const char **text)
{
    *text = error == 100 ? "no device" : error == 700 ? "illegal address"
                                                      : "error";
    return 0;
}
int cuDeviceGet(int *device, int n)
{
    *device = n;
    return is("none") ? 100 : 0;
}
int cuDeviceGetName(char *to, int room, int device)
{
    snprintf(to, (size_t)room, "Fake GPU %d", device);
    return 0;
}
int cuDeviceGetAttribute(int *value, int what, int device)
{
    *value = what == 75 ? 9 : what == 76 ? 0 : 1 << 16;
    return device;
}
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &clock_ms;
    return device;
}
int cuCtxSetCurrent(void *context) { return context != &clock_ms; }
int cuCtxSynchronize(void) { return fault; }

/* The image is a shared library; dlopen wants it to have a path. */
int cuModuleLoadData(void **module, const void *image)
{
    char path[64];
    const unsigned char *elf = image;
    uint64_t sections;
    uint16_t size, count;
    memcpy(&sections, elf + 40, sizeof sections);
    memcpy(&size, elf + 58, sizeof size);
    memcpy(&count, elf + 60, sizeof count);
    image_bytes = sections + (size_t)size * count;
    int file = memfd_create("kernel", 0);
    if (file < 0 || write(file, image, image_bytes) != (ssize_t)image_bytes)
        return 2;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *module = dlopen(path, RTLD_NOW);
    return *module ? 0 : 200;
}
int cuModuleUnload(void *module) { return dlclose(module); }
int cuModuleGetFunctionCount(unsigned *n, void *module)
{
    *n = dlsym(module, "add") != NULL;
    return 0;
}
int cuModuleEnumerateFunctions(void **to, unsigned n, void *module)
{
    if (n)
        to[0] = module;
    return 0;
}
int cuFuncGetName(const char **name, void *f)
{
    *name = "add";
    return f == NULL;
}
int cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *bytes)
{
    *offset = 8 * i;
    *bytes = i < 3 ? 8 : 4;
    return i > 3 || !f;
}
int cuFuncSetAttribute(void *f, int what, int value)
{
    return !f || what != 8 || value < 0;
}

struct Index { unsigned x, y, z; };
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **a, void **extra)
{
    void (*add)(void *, void *, void *, int);
    *(void **)&add = dlsym(f, "add");
    struct Index *thread = dlsym(f, "threadIdx");
    struct Index *block = dlsym(f, "blockIdx");
    *(struct Index *)dlsym(f, "blockDim") = (struct Index){ bx, by, bz };
    *(struct Index *)dlsym(f, "gridDim") = (struct Index){ gx, gy, gz };
    if (is("fault"))
        fault = 700;
    for (block->x = 0; block->x < gx; block->x++)
        for (thread->x = 0; thread->x < bx; thread->x++)
            add(*(void **)a[0], *(void **)a[1], *(void **)a[2], *(int *)a[3]);
    clock_ms += 0.5f;
    return shared || stream || extra;
}

int cuMemAlloc_v2(uint64_t *to, size_t bytes)
{
    *to = (uint64_t)malloc(bytes);
    return *to ? 0 : 2;
}
int cuMemFree_v2(uint64_t at)
{
    free((void *)at);
    return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)to, from, bytes);
    return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (void *)from, bytes);
    return fault;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *s)
{
    memcpy((void *)to, (void *)from, bytes);
    clock_ms += 0.25f;
    return s != NULL;
}
int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void *s)
{
    memset((void *)to, byte, bytes);
    clock_ms += 7;                      /* not to be measured            */
    return s != NULL;
}
int cuEventCreate(void **event, unsigned flags)
{
    *event = events[n_events++] = malloc(sizeof(float));
    return (int)flags;
}
int cuEventRecord(void *event, void *stream)
{
    *(float *)event = clock_ms;
    return stream != NULL;
}
int cuEventElapsedTime(float *ms, void *begin, void *end)
{
    *ms = *(float *)end - *(float *)begin;
    return 0;
}
