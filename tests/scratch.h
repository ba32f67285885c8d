/* A directory for a group of tests: made before them, removed after them;
 * mkdtemp puts letters of its own in the place of the six X.
 * Included after stdlib.h and stdio.h. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

static char dir[] = "/tmp/mb-test-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

#endif
