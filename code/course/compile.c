/* Tangled from chapters/course/grader.nw, "Compiling the reader's file".  Edit it there. */

#include "course/compile.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
static void compiler(const char *simtcc, const char *path, const char *ptx,
                     const char *depends)
{
    struct rlimit seconds = { 20, 20 }, most = { 2l << 30, 2l << 30 };
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &most);
    execl(simtcc, simtcc, "--ptx", "-MMD", "-MT", "x", "-MF", depends, path,
          "-o", ptx, (char *)NULL);
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

static bool includes_allowed(const char *path, char *list, struct Error *e)
{
    char dir[FILE_PATH_MAX], home[PATH_MAX], tools[PATH_MAX];
    if (!path_dir(dir, path, e) || !realpath(dir, home) ||
        !program_dir(dir, sizeof dir, e) || !realpath(dir, tools))
        return error_set(e, "%s: its folder cannot be read", path);
    *strrchr(tools, '/') = 0;
    for (char *at = strtok(list, " \\\n"); at; at = strtok(NULL, " \\\n"))
        if (strcmp(at, "x:") != 0 && !allowed(at, home, tools))
            return error_set(e, "%s includes %s; an exercise may include "
                             "files of its own folder only", path, at);
    return true;
}

/* compile a file to PTX */
static bool slurp(const char *path, char **text, size_t *bytes,
                  struct Error *e)
{
    struct Mapped m;
    if (!map_file(&m, path, e))
        return false;
    *text = malloc(m.size + 1);
    if (*text) {
        memcpy(*text, m.data, m.size);
        (*text)[m.size] = 0;
        *bytes = m.size;
    }
    unmap_file(&m);
    return *text || error_set(e, "%s: no memory for %zu bytes", path,
                              *bytes);
}

bool compile_ptx(const char *path, char **ptx, size_t *bytes,
                 struct Error *e)
{
    char dir[] = "/tmp/grade.XXXXXX", out[40], depends[40], *list = NULL;
    size_t n;
    if (!mkdtemp(dir))
        return error_set(e, "cannot make a folder in /tmp: %s",
                         strerror(errno));
    snprintf(out, sizeof out, "%s/x.ptx", dir);
    snprintf(depends, sizeof depends, "%s/x.d", dir);
    *ptx = NULL;
    bool ok = run_compiler(path, out, depends, e) &&
              slurp(depends, &list, &n, e) &&
              includes_allowed(path, list, e) && slurp(out, ptx, bytes, e);
    free(list);
    unlink(out);
    unlink(depends);
    rmdir(dir);
    return ok;
}
