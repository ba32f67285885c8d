/* Tangled from chapters/workshop/timing-a-step.nw, "Clock and power during a measurement".  Edit it there. */

#include "bench/power.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* power: find the functions */
static int (*read_power)(void *, unsigned *);
static int (*read_clock)(void *, int, unsigned *);
static void *gpu;

/* The GPU of the current CUDA context, as NVML knows it; or NULL. */
static void *find_gpu(void)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *nvml = cuda ? dlopen("libnvidia-ml.so.1", RTLD_NOW) : NULL;
    int (*device)(int *), (*bus)(char *, int, int), (*init)(void);
    int (*find)(const char *, void **), number;
    char address[64];
    void *found;
    if (!nvml)
        return NULL;
    *(void **)&device = dlsym(cuda, "cuCtxGetDevice");
    *(void **)&bus = dlsym(cuda, "cuDeviceGetPCIBusId");
    *(void **)&init = dlsym(nvml, "nvmlInit_v2");
    *(void **)&find = dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&read_power = dlsym(nvml, "nvmlDeviceGetPowerUsage");
    *(void **)&read_clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
    if (!device || !bus || !init || !find || !read_power || !read_clock
        || device(&number) || bus(address, sizeof address, number)
        || init() || find(address, &found))
        return NULL;
    return found;
}

/* power: read until told to stop */
enum { CLOCK_SM = 1 };                  /* NVML_CLOCK_SM */
static struct Power sum;
static atomic_bool reading;
static pthread_t thread;

static void *read_on(void *arg)
{
    unsigned mw, mhz;
    while (atomic_load(&reading)) {
        if (!read_power(gpu, &mw) && !read_clock(gpu, CLOCK_SM, &mhz)) {
            sum.mhz += mhz, sum.watts += mw / 1e3;
            sum.readings++;
        }
        usleep(20000);
    }
    return arg;
}

void power_start(void)
{
    sum = (struct Power){ 0 };
    gpu = find_gpu();
    atomic_store(&reading, gpu != NULL);
    if (gpu && pthread_create(&thread, NULL, read_on, NULL) != 0)
        gpu = NULL;
}

struct Power power_stop(void)
{
    if (!gpu)
        return (struct Power){ 0 };
    atomic_store(&reading, false);
    pthread_join(thread, NULL);
    if (sum.readings)
        sum.mhz /= sum.readings, sum.watts /= sum.readings;
    return sum;
}
