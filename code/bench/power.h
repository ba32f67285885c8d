/* Tangled from chapters/workshop/timing-a-step.nw, "Clock and power during a measurement".  Edit it there. */

/* power.h: mean clock and power of this process's GPU over a time. */
#ifndef BENCH_POWER_H
#define BENCH_POWER_H

struct Power { double mhz, watts; int readings; };

/* Read every 20 ms from now on.  Without an NVIDIA GPU in use by this
 * thread, or without NVML, there are 0 readings. */
void power_start(void);
struct Power power_stop(void);

#endif
