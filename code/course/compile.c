/* Tangled from chapters/course/grader.nw, "Compiling the reader's file".  Edit it there. */

#include "course/compile.h"

#include "course/limit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* find the compiler beside the program */
bool program_dir(char *to, size_t room, struct Error *e)
{
    ssize_t n = readlink("/proc/self/exe", to, room - 1);
    if (n <= 0)
        return error_set(e, "cannot find the folder of this program: %s",
                         strerror(errno));
    to[n] = 0;
    *strrchr(to, '/') = 0;
    return true;
}

/* run the compiler with limits */
/* Let simtcc keep its headers beside the programs, where make keeps them,
 * unless another place is named or nothing may be written there. */
static void keep_headers(const char *simtcc)
{
    char cache[FILE_PATH_MAX];
    snprintf(cache, sizeof cache, "%s", simtcc);
    for (int i = 0; i < 2; i++)         /* DIR/bin/simtcc -> DIR         */
        *strrchr(cache, '/') = 0;
    size_t n = strlen(cache);
    if (access(cache, W_OK) != 0 || n + 10 > sizeof cache)
        return;
    memcpy(cache + n, "/headers", 9);
    setenv("SIMTCC_CACHE", cache, 0);
}

static void compiler(const char *simtcc, const char *path, const char *ptx,
                     const char *depends)
{
    enum { SECONDS = 5 };
    keep_headers(simtcc);
    if (limit(RLIMIT_CPU, SECONDS) && limit(RLIMIT_AS, (rlim_t)2 << 30))
        execl(simtcc, simtcc, "--ptx", "-MMD", "-MT", "x", "-MF", depends,
              path, "-o", ptx, (char *)NULL);
    fprintf(stderr, "cannot run %s: %s\n", simtcc, strerror(errno));
    _exit(127);
}

static bool run_compiler(const char *path, const char *ptx,
                         const char *depends, struct Error *e)
{
    char dir[FILE_PATH_MAX - 10], simtcc[FILE_PATH_MAX];
    int status = 0;
    if (!program_dir(dir, sizeof dir, e))
        return false;
    snprintf(simtcc, sizeof simtcc, "%s/simtcc", dir);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        compiler(simtcc, path, ptx, depends);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return error_set(e, "cannot start %s: %s", simtcc, strerror(errno));
    return status == 0 || error_set(e, "%s does not compile", path);
}

/* refuse files from elsewhere */
static bool allowed(const char *file, const char *home, const char *tools)
{
    char real[PATH_MAX];
    if (!realpath(file, real))
        return false;
    return (strncmp(real, home, strlen(home)) == 0 &&
            real[strlen(home)] == '/') ||
           (strncmp(real, tools, strlen(tools)) == 0 &&
            real[strlen(tools)] == '/') ||
           strncmp(real, "/usr/", 5) == 0;
}

/* The folder of the reader's file, and that of the compiler. */
static bool folders(const char *path, char home[PATH_MAX],
                    char tools[PATH_MAX], struct Error *e)
{
    char dir[FILE_PATH_MAX];
    if (!path_dir(dir, path, e) || !realpath(dir, home) ||
        !program_dir(dir, sizeof dir, e) || !realpath(dir, tools))
        return error_set(e, "%s: its folder cannot be read", path);
    *strrchr(tools, '/') = 0;
    return true;
}

static bool includes_allowed(const char *path, const char *list,
                             size_t size, struct Error *e)
{
    char home[PATH_MAX], tools[PATH_MAX], file[PATH_MAX];
    size_t n = 0;
    if (!folders(path, home, tools, e))
        return false;
    for (size_t i = 0; i <= size; i++) {
        bool escaped = i + 1 < size && list[i] == '\\' &&
                       list[i + 1] != '\n';
        i += escaped;
        if (escaped || (i < size && !strchr(" \\\n", list[i]))) {
            if (n + 1 < sizeof file)
                file[n++] = list[i];
            continue;
        }
        file[n] = 0;
        if (n && strcmp(file, "x:") != 0 && !allowed(file, home, tools))
            return error_set(e, "%s includes %s; an exercise may include "
                             "files of its own folder only", path, file);
        n = 0;
    }
    return true;
}

static bool list_allowed(const char *path, const char *list_path,
                         struct Error *e)
{
    struct Mapped list;
    if (!map_file(&list, list_path, e))
        return false;
    bool ok = includes_allowed(path, (const char *)list.data, list.size, e);
    unmap_file(&list);
    return ok;
}

/* compile a file to PTX */
/* A new folder; `to` is its path. */
static bool temporary_dir(char *to, size_t room, struct Error *e)
{
    const char *parent = getenv("TMPDIR");
    enum { RANDOM = 6 };        /* mkdtemp replaces so many X            */
    if (!parent || !*parent)
        parent = "/tmp";
    int n = snprintf(to, room, "%s/grade.", parent);
    if (n < 0 || (size_t)n + RANDOM >= room)
        return error_set(e, "TMPDIR is too long: %s", parent);
    memset(to + n, 'X', RANDOM);
    to[n + RANDOM] = 0;
    return mkdtemp(to) || error_set(e, "cannot make a folder in %s: %s",
                                    parent, strerror(errno));
}

bool compile_ptx(struct Mapped *ptx, const char *path, struct Error *e)
{
    char dir[FILE_PATH_MAX - 8];
    char out[FILE_PATH_MAX], depends[FILE_PATH_MAX];
    if (!temporary_dir(dir, sizeof dir, e))
        return false;
    snprintf(out, sizeof out, "%s/x.ptx", dir);
    snprintf(depends, sizeof depends, "%s/x.d", dir);
    bool ok = run_compiler(path, out, depends, e) &&
              list_allowed(path, depends, e) && map_file(ptx, out, e);
    unlink(out);
    unlink(depends);
    rmdir(dir);
    return ok;
}
