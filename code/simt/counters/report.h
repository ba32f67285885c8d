/* Tangled from chapters/workshop/simt-runtime.nw, "The report".  Edit it there. */

#ifndef SIMT_COUNTERS_REPORT_H
#define SIMT_COUNTERS_REPORT_H

/* SIMT_REPORT=table, lines, csv, sums, html or json: collect what each
 * launch counted, print it at the end (csv: at each launch).  Not set:
 * count nothing. */
void report_begin(void);
void report_end(void);

#endif
