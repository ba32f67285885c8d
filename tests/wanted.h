/* The environment variable ROWS, a name per line, asks for some rows of a
 * test alone; without it all run.  Include after cmocka. */
#ifndef TESTS_WANTED_H
#define TESTS_WANTED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool row_wanted(const char *name)
{
    const char *rows = getenv("ROWS");
    size_t length = strlen(name);
    if (!rows || !*rows)
        return true;
    for (const char *at = rows; (at = strstr(at, name)); at++)
        if ((at == rows || at[-1] == '\n')
            && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

/* Move the tests that are wanted to the front: so many. */
static inline size_t rows_wanted(struct CMUnitTest *tests, size_t n)
{
    size_t wanted = 0;
    for (size_t i = 0; i < n; i++)
        if (row_wanted(tests[i].name))
            tests[wanted++] = tests[i];
    return wanted;
}

#endif
