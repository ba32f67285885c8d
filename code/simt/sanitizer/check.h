/* Tangled from chapters/workshop/sanitizer-records.nw, "Interface and options".  Edit it there. */

#ifndef SIMT_SANITIZER_CHECK_H
#define SIMT_SANITIZER_CHECK_H

#include "simt/simt.h"

/* The sanitizer: what simt.h does not need to know of it. */

/* what to look for */
enum {
    CHECK_MEMORY = 1,           /* bounds, alignment, use after free     */
    CHECK_INIT   = 2,           /* reads of what nobody wrote            */
    CHECK_RACE   = 4,           /* accesses that nothing puts in order   */
    CHECK_SYNC   = 8,           /* barriers, lanes, copies not waited for*/
    CHECK_LEAK   = 16,          /* allocations alive at exit             */
    CHECK_ALL    = 31,
    CHECK_STRICT = 32,          /* and notes set the exit status */
};

/* "on", "off", or a list such as "memory,race"; NULL means on.  To be
 * called before anything is allocated; the runtime passes SIMT_CHECK.
 * False, with a sentence, if a word of the list is unknown. */
bool check_configure(const char *text, struct Error *e);

/* The status of a program that has problems. */
enum { CHECK_STATUS = 86 };

/* Device memory was copied to device memory: what was not written stays
 * so. */
void check_copied(uint64_t to, uint64_t from, size_t bytes);

/* cudaFree of what is not, or no longer, the start of an allocation. */
void check_bad_free(uint64_t address);

/* Reports call the allocation that begins there by this name; the text
 * stays the caller's. */
void check_label(uint64_t address, const char *name);

/* Where the reports go; NULL: standard error.  Tests read them. */
void check_reports_to(void (*sink)(const char *text));

#endif
