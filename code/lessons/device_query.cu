/* Tangled from chapters/workshop/first-programs.nw, "device-query: what a GPU says of itself".  Edit it there. */

/* device-query: what the GPU says of itself, and what follows from it. */
#include "backend/cuda.h"
extern "C" {
#include "base/args.h"
#include "bench/numbers.h"
}
#include <stdio.h>

/* print a property and keep it as a row */
static struct Numbers numbers;

static void put(const char *name, const char *words, double value,
                const char *unit)
{
    printf("  %-34s %12.8g %s\n", words, value, unit);
    number_put(&numbers, unit, value, "query.%s", name);
}

/* ask one device */
/* ask for an attribute by name */
static int attribute(enum cudaDeviceAttr which, int device)
{
    int value;
    CUDA_OK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

static void ask(int d)
{
    struct cudaDeviceProp p;
    CUDA_OK(cudaGetDeviceProperties(&p, d));
    printf("device %d: %s, compute capability %d.%d\n", d, p.name, p.major,
           p.minor);
    /* print what limits the threads */
    int sms = p.multiProcessorCount;
    int resident = p.maxThreadsPerMultiProcessor;
    put("sms", "multiprocessors (SM)", sms, "");
    put("warp", "threads in a warp", p.warpSize, "");
    put("threads.block", "threads in a block, at most",
        p.maxThreadsPerBlock, "");
    put("threads.sm", "threads on an SM, at most", resident, "");
    put("warps.sm", "  in warps", resident / p.warpSize, "");
    put("threads", "threads on the GPU, at most", (double)sms * resident, "");
    /* print what holds their data */
    put("registers.sm", "registers of 32 bits on an SM",
        p.regsPerMultiprocessor, "");
    put("registers", "  on the GPU",
        4.0 * sms * p.regsPerMultiprocessor / 1048576, "MiB");
    put("registers.thread", "  for a thread, if all are there",
        (double)p.regsPerMultiprocessor / resident, "");
    put("shared.sm", "shared memory on an SM",
        (double)p.sharedMemPerMultiprocessor / 1024, "KiB");
    put("shared.block", "  for one block, at most",
        (double)p.sharedMemPerBlockOptin / 1024, "KiB");
    put("l2", "L2 cache", p.l2CacheSize / 1048576.0, "MiB");
    put("memory", "memory", (double)p.totalGlobalMem / 1073741824, "GiB");
    /* print clocks, and the rates that follow */
    double ghz = attribute(cudaDevAttrClockRate, d) / 1e6;
    double memory_ghz = attribute(cudaDevAttrMemoryClockRate, d) / 1e6;
    int bits = attribute(cudaDevAttrGlobalMemoryBusWidth, d);
    bool small = p.major == 7 || (p.major == 8 && p.minor == 0);
    int units = small ? 64 : 128;
    put("clock", "clock, at most", ghz, "GHz");
    put("memory.clock", "clock of the memory", memory_ghz, "GHz");
    put("memory.bus", "width of its bus", bits, "bit");
    put("memory.rate", "  both edges: bandwidth on paper",
        2 * memory_ghz * bits / 8, "GB/s");
    put("fp32.rate", "  multiply-adds on paper, float32",
        2e-3 * sms * units * ghz, "TFLOP/s");
}

/* the options of device-query */
static const char *out = "", *machine;

static const struct Option options[] = {
    NUMBERS_OPTIONS(out, machine),
    { NULL, OPT_END, NULL, 0, 0, NULL, NULL, NULL },
};

static const struct Usage usage = {
    "[options]", "Print the properties of each GPU.", NULL
};

/* ask each device there is */
int main(int argc, char **argv)
{
    int devices = 0;
    struct Error e;
    args_options(argc, argv, options, &usage);
    cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0)
        fail("no GPU: %s", cudaGetErrorString(found));
    if (!numbers_open(&numbers, out, machine, "device-query", &e))
        fail("%s", e.text);
    for (int d = 0; d < devices; d++)
        ask(d);
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
