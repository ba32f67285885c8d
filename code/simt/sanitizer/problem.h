/* Tangled from chapters/workshop/sanitizer-records.nw, "Reports".  Edit it there. */

#ifndef SIMT_SANITIZER_PROBLEM_H
#define SIMT_SANITIZER_PROBLEM_H

#include "simt/simt.h"

/* The words of a report; each function fills `to` and returns it. */

/* "reduce.cu:17", or "PTX line 40", of instruction pc. */
const char *where(const struct Kernel *, int pc, char *to, size_t room);

/* "thread (1,0,0)" and "block (2,3,0)" of a linear index. */
const char *thread_text(const struct Dim3 *block, int linear, char *to,
                        size_t room);
const char *block_text(const struct Dim3 *grid, uint64_t linear, char *to,
                       size_t room);

/* Say how often what was found, and end the program with CHECK_STATUS.  If
 * there are notes only, memory that was not freed and bytes that nobody
 * wrote but a whole buffer was copied, it ends as it would have. */
void problems_end(void);
extern bool notes_count;        /* SIMT_CHECK=strict: like all others */

#endif
