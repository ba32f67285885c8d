/* Tangled from chapters/workshop/report-page.nw, "What has to be remembered".  Edit it there. */

#ifndef SIMT_COUNTERS_PAGE_H
#define SIMT_COUNTERS_PAGE_H

#include "simt/counters/entry.h"

#include <stdio.h>

/* From now on remember what a page shows besides counts: the costliest
 * access of each instruction, and the lanes of one warp over time. */
void page_watch(void);

/* Write what is known of these kernels, as JSON, or as an HTML page that
 * has this JSON in it.  SIMT_REPORT_BESIDE names the JSON of an earlier
 * run, which the page compares; misuse if it is none. */
void page_write(FILE *out, const struct Entry *entry, int entries,
                const struct Gpu *gpu, bool html);

#endif
