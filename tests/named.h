/* Tests from rows: every element of an array becomes a test, called after
 * the function that runs it and the element's member `name`.  They are
 * appended to `tests` behind the first n.  Included after cmocka.h. */
#ifndef TESTS_NAMED_H
#define TESTS_NAMED_H

/* The first n: those that the array was written with. */
static inline size_t tests_written(const struct CMUnitTest *tests)
{
    size_t n = 0;
    while (tests[n].name)
        n++;
    return n;
}

#define ROWS_WITH(array, function, setup, teardown)                     \
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {         \
        static char name[sizeof array / sizeof *array][80];             \
        snprintf(name[i], 80, #function " %s", array[i].name);          \
        tests[n++] = (struct CMUnitTest){                               \
            .name = name[i], .test_func = function,                     \
            .setup_func = setup, .teardown_func = teardown,             \
            .initial_state = (void *)&array[i] };                       \
    }
#define ROWS(array, function) ROWS_WITH(array, function, NULL, NULL)

#endif
