/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Rows of numbers".  Edit it there. */

#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include "base/error.h"

#include <stdio.h>

/* A file of measured numbers, one row each:
 * name,value,unit,machine,command,commit,date. */
struct Numbers {
    FILE *file;
    char machine[160], command[160], commit[48], date[16];
};

/* Two rows of a program's table (see base/args.h): the file, the machine.
 * Both targets are const char *, and NULL or "" at first. */
#define NUMBERS_OPTIONS(out, machine)                               \
    { "out", OPT_STRING, &(out), 0, 0, "FILE.csv",                  \
      "append the numbers to this file", NULL },                    \
    { "machine", OPT_STRING, &(machine), 0, 0, "NAME",              \
      "name of this machine in the file", NULL }

/* Open path for appending and write the header if it is new. An empty path
 * gives a file that swallows rows. machine may be NULL: cpu_name() is
 * taken. The commit comes from the environment variable COMMIT. */
bool numbers_open(struct Numbers *n, const char *path, const char *machine,
                  const char *command, struct Error *e);

/* name: letters, digits, dots and dashes; commas elsewhere become ';'. */
void number_put(struct Numbers *n, const char *unit, double value,
                const char *name_format, ...)
    __attribute__((format(printf, 4, 5)));

bool numbers_close(struct Numbers *n, struct Error *e);

#endif
