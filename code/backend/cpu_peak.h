/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The peak and the bandwidth".  Edit it there. */

#ifndef BACKEND_CPU_PEAK_H
#define BACKEND_CPU_PEAK_H

#include <stddef.h>

/* what measures the cores */
/* The most float32 arithmetic this CPU does on `threads` threads, in
 * GFLOP/s (a fused multiply-add counts 2): the best of many slices of
 * about 0.5 ms, measured for `seconds`.  0.03 s gives a usable number. */
double cpu_peak_gflops(int threads, double seconds);

/* One turn of it: a few microseconds of multiply-adds on this thread,
 * without operands from memory.  Returns how many operations. */
double cpu_multiply_adds(volatile float *sink);

/* That turn with vectors of one width: "sse", "avx2", "avx512"; "neon";
 * "portable" on other processors.  Same result as cpu_multiply_adds. */
struct PeakLoop { const char *name; double (*run)(volatile float *sink); };

/* Those that this processor can run, the widest last; how many. */
int cpu_peak_loops(const struct PeakLoop **list);

/* The clock of this core at this moment, from a chain of integer
 * multiplications that takes 2 us, if each takes 3 cycles. */
double cpu_clock_ghz(void);

/* what measures the memory */
/* GB/s; a copy counts the bytes read and the bytes written. */
struct Bandwidth { double read, copy; };

/* The same for a block of `bytes`: reading all of it, copying one half to
 * the other.  Larger than the last cache, it measures main memory. */
struct Bandwidth cpu_bandwidth(int threads, size_t bytes, double seconds);

#endif
