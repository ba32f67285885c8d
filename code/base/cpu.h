/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Rows of numbers".  Edit it there. */

#ifndef BASE_CPU_H
#define BASE_CPU_H

/* "Intel(R) Xeon(R) Processor @ 2.50GHz; 2 cores; gcc 12.2.0" */
const char *cpu_name(void);

#endif
