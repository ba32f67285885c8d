/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The program".  Edit it there. */

#ifndef BENCH_NVML_CUH
#define BENCH_NVML_CUH

#include "bench/cuda_bench.cuh"

#include <dlfcn.h>

/* nvml: find its functions */
typedef struct nvml_device *Nvml;
static int (*nvml_power)(Nvml, unsigned *);
static int (*nvml_clock)(Nvml, int, unsigned *);
static Nvml nvml;

/* Without the library a line says that there is no power. */
static inline void nvml_open(void)
{
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void) = NULL;
    int (*find)(const char *, Nvml *) = NULL;
    char bus[64];
    if (lib) {
        *(void **)&init = dlsym(lib, "nvmlInit_v2");
        *(void **)&find = dlsym(lib, "nvmlDeviceGetHandleByPciBusId_v2");
        *(void **)&nvml_power = dlsym(lib, "nvmlDeviceGetPowerUsage");
        *(void **)&nvml_clock = dlsym(lib, "nvmlDeviceGetClockInfo");
    }
    CUDA_OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    if (!init || !find || !nvml_power || !nvml_clock || init()
        || find(bus, &nvml)) {
        nvml = NULL;
        printf("no NVML: no clock and no power are given\n");
    }
}

/* nvml: add a reading to a mean */
struct Power { double watts, mhz; };

static inline void power_add(struct Power *p, int n)
{
    unsigned mw = 0, mhz = 0;
    if (nvml && !nvml_power(nvml, &mw) && !nvml_clock(nvml, 1, &mhz))
        p->watts += mw / 1e3 / n, p->mhz += (double)mhz / n;
}

#endif
