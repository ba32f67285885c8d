/* die_at.c: loaded before a program (LD_PRELOAD), kills it by SIGKILL just
 * before its DIE_AT-th call that changes a file; DIE_AT=0 never does, and
 * the number of calls is written to the file that DIE_COUNT names. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls, last = -1;

static void *next(const char *name)
{
    if (last < 0)
        last = atol(getenv("DIE_AT"));
    if (++calls == last)
        kill(getpid(), SIGKILL);
    return dlsym(RTLD_NEXT, name);
}

int rename(const char *from, const char *to)
{
    return ((int (*)(const char *, const char *))next("rename"))(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return ((int (*)(const char *, mode_t))next("mkdir"))(path, mode);
}

int unlink(const char *path)
{
    return ((int (*)(const char *))next("unlink"))(path);
}

int rmdir(const char *path)
{
    return ((int (*)(const char *))next("rmdir"))(path);
}

int fsync(int fd)
{
    return ((int (*)(int))next("fsync"))(fd);
}

/* stdio keeps 4096 bytes back: a file that is being written ends anywhere */
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*right)(const char *, const char *) = (FILE *(*)(const char *,
        const char *))(strchr(mode, 'w') ? next("fopen")
                                         : dlsym(RTLD_NEXT, "fopen"));
    return right(path, mode);
}

__attribute__((destructor)) static void report(void)
{
    const char *to = getenv("DIE_COUNT");
    FILE *f = to ? fopen(to, "a") : NULL;
    if (f) {
        fprintf(f, "%ld\n", calls - 1);
        fclose(f);
    }
}
