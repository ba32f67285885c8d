/* Tangled from chapters/workshop/ground-floor.nw, "The command line".  Edit it there. */

#ifndef BASE_ARGS_H
#define BASE_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/fail.h"

enum OptionType {
    OPT_FLAG,       /* bool *        --name                        */
    OPT_INT,        /* int *         --name N, min <= N <= max     */
    OPT_INT64,      /* int64_t *     the same, wider               */
    OPT_DOUBLE,     /* double *      --name X, finite, min..max    */
    OPT_STRING,     /* const char ** --name TEXT                   */
    OPT_CHOICE,     /* const char ** one of the words in `arg`, a|b|c */
    OPT_END
};

/* One row of a program's table; the last row has type OPT_END.  Without a
 * range (min and max both 0) any value of the type is accepted.  `given`
 * may be NULL; if not, *given becomes true when the option appears. */
struct Option {
    const char *name;       /* without the two dashes */
    enum OptionType type;
    void *target;           /* holds the default before the parse */
    double min, max;
    const char *arg;        /* a word for the value, or the choices */
    const char *help;
    bool *given;
};

struct Usage {
    const char *synopsis;   /* "--data GLOB [options]" */
    const char *summary;    /* one sentence */
    const char *more;       /* printed after the options, or NULL */
};

#define PROGRAM_VERSION "0.1"

/* Read argv[1..] by the table.  `--name value`, `--name=value`, `--` ends
 * the options; other words are moved to the front of argv and counted by
 * the result.  --help and --version print and exit with status 0; an
 * error prints what is wrong, names the nearest option, exits with 2. */
int args_parse(int argc, char **argv, const struct Option *options,
               const struct Usage *usage);

/* The beginning of a program that takes options and nothing else: its name
 * is argv[0], and a word that belongs to no option is refused.  argv stays
 * as it was. */
void args_options(int argc, char **argv, const struct Option *options,
                  const struct Usage *usage);

/* The word of `words` (NULL at the end) that is closest to `word`, or NULL
 * if none is close enough to be what was meant. */
const char *nearest_word(const char *word, const char *const *words);

#endif
