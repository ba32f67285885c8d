/* Appendix M, The runtime of the software GPU: M.9 The report */
/* Tangled from chapters/m-simt-runtime.nw by `make tangle`; edit it there. */

#ifndef SIMT_REPORT_H
#define SIMT_REPORT_H

/* SIMT_REPORT=table, lines or csv: collect what each launch counted, print
 * it at the end (csv: at each launch).  Not set: nothing is counted. */
void report_begin(void);
void report_end(void);

#endif
