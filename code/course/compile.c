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

/* What is compiled, by what, for what. */
struct Compile {
    char program[FILE_PATH_MAX];
    const char *kind, *option;
    int seconds;                        /* at most, of each process      */
    const char *path;
    char out[FILE_PATH_MAX], depends[FILE_PATH_MAX];
};

static void compiler(const struct Compile *c)
{
    if (limit(RLIMIT_CPU, (rlim_t)c->seconds) &&
        limit(RLIMIT_AS, (rlim_t)2 << 30))
        execl(c->program, c->program, c->kind, c->option, "-MMD", "-MT",
              "x", "-MF", c->depends, c->path, "-o", c->out, (char *)NULL);
    fprintf(stderr, "cannot run %s: %s\n", c->program, strerror(errno));
    _exit(127);
}

static bool run_compiler(const struct Compile *c, struct Error *e)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        compiler(c);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return error_set(e, "cannot start %s: %s", c->program,
                         strerror(errno));
    return status == 0 || error_set(e, "%s does not compile", c->path);
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

/* The folder of the reader's file, and that of the compiler: DIR of
 * DIR/bin/simtcc. */
static bool folders(const struct Compile *c, char home[PATH_MAX],
                    char tools[PATH_MAX], struct Error *e)
{
    char dir[FILE_PATH_MAX];
    if (!path_dir(dir, c->path, e) || !realpath(dir, home) ||
        !realpath(c->program, tools))
        return error_set(e, "%s: its folder cannot be read", c->path);
    for (int i = 0; i < 2; i++)
        *strrchr(tools, '/') = 0;
    return true;
}

static bool includes_allowed(const struct Compile *c, const char *list,
                             size_t size, struct Error *e)
{
    char home[PATH_MAX], tools[PATH_MAX], file[PATH_MAX];
    const char *colon = memchr(list, ':', size);
    size_t n = 0;
    if (!colon || !folders(c, home, tools, e))
        return error_set(e, "%s: its includes are not known", c->path);
    for (size_t i = (size_t)(colon - list) + 1; i <= size; i++) {
        bool escaped = i + 1 < size && list[i] == '\\' &&
                       list[i + 1] != '\n';
        i += escaped;
        if (escaped || (i < size && !strchr(" \\\n", list[i]))) {
            if (n + 1 < sizeof file)
                file[n++] = list[i];
            continue;
        }
        file[n] = 0;
        if (n && !allowed(file, home, tools))
            return error_set(e, "%s includes %s; an exercise may include "
                             "files of its own folder only", c->path, file);
        n = 0;
    }
    return true;
}

static bool list_allowed(const struct Compile *c, struct Error *e)
{
    struct Mapped list;
    if (!map_file(&list, c->depends, e))
        return false;
    bool ok = includes_allowed(c, (const char *)list.data, list.size, e);
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

static bool compile(struct Compile *c, struct Mapped *to, struct Error *e)
{
    char dir[FILE_PATH_MAX - 8];
    if (!temporary_dir(dir, sizeof dir, e))
        return false;
    snprintf(c->out, sizeof c->out, "%s/x.out", dir);
    snprintf(c->depends, sizeof c->depends, "%s/x.d", dir);
    bool ok = run_compiler(c, e) && list_allowed(c, e) &&
              map_file(to, c->out, e);
    unlink(c->out);
    unlink(c->depends);
    rmdir(dir);
    return ok;
}

bool compile_ptx(struct Mapped *ptx, const char *path, struct Error *e)
{
    char dir[FILE_PATH_MAX - 10];
    struct Compile c = { .kind = "--ptx", .option = "-O2",
                         .seconds = 5, .path = path };
    if (!program_dir(dir, sizeof dir, e))
        return false;
    snprintf(c.program, sizeof c.program, "%s/simtcc", dir);
    keep_headers(c.program);
    return compile(&c, ptx, e);
}

/* compile for a real GPU */
bool find_program(char to[FILE_PATH_MAX], const char *variable,
                  const char *name, struct Error *e)
{
    const char *named = getenv(variable), *path = getenv("PATH");
    if (named && *named)
        name = named;
    if (strchr(name, '/'))
        path = "";
    for (const char *at = path ? path : ""; at; ) {
        size_t n = strcspn(at, ":");
        snprintf(to, FILE_PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "",
                 name);
        if (access(to, X_OK) == 0 && strchr(to, '/'))
            return true;
        at = at[n] ? at + n + 1 : NULL;
    }
    return error_set(e, "there is no '%s' here", name);
}

bool compile_cubin(struct Mapped *cubin, const char *path, const char *gpu,
                   struct Error *e)
{
    char option[40];
    struct Compile c = { .kind = "-cubin", .option = option, .seconds = 20,
                         .path = path };
    snprintf(option, sizeof option, "-arch=%s", gpu);
    return find_program(c.program, "NVCC", "nvcc", e) &&
           compile(&c, cubin, e);
}
