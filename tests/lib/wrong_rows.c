/* Linked by tests/wrong/run between a test's main and cmocka: it runs rows
 * alone, each in a process of its own, with one of many mistakes chosen.
 *
 * The file that WRONG_JOBS names has a line for each run, with tabs between:
 *
 *     17    wrong.ptx    gelu x=12     the mistake's number, 0 for none; the
 *                                      kernels to take, - for the right ones;
 *                                      the row
 *
 * What run N prints goes to the file WRONG_JOBS.N.  How it ended is a line on
 * standard output: N, a tab, and `exit 1`, `signal 11` or `time-out` (after
 * WRONG_SECONDS, or 60).  Without WRONG_JOBS all rows' names are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int wrong_chosen;               /* read by the functions with mistakes */

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 24);
    if (!f || !text)
        abort();
    text[fread(text, 1, (1 << 24) - 1, f)] = 0;
    fclose(f);
    return text;
}

#ifdef WRONG_GPU
/* ---- the kernels of a mistake in place of the right ones ----------------- */
/* What clang's stubs register is held back until a run begins. */
#include "simt/include/cuda_runtime_api.h"

struct Wrapper { int magic, version; const char *text; void *unused; };

static struct Image { struct Wrapper *wrapper; void **handle; } image[100];
static struct Known {
    void **image;
    void *host;
    const char *device, *name;
    size_t bytes;
    bool variable;
} known[1000];
static int images, all_known;

void **__real___cudaRegisterFatBinary(struct Wrapper *wrapper);
int __real___cudaRegisterFunction(void **handle, const void *host,
                                  const char *device, const char *name,
                                  int threads, void *tid, void *bid,
                                  void *block, void *grid, int *warp);
void __real___cudaRegisterVar(void **handle, void *host, const char *device,
                              const char *name, int external, size_t bytes,
                              int constant, int global);
cudaError_t __real_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream);

void **__wrap___cudaRegisterFatBinary(struct Wrapper *wrapper);
void **__wrap___cudaRegisterFatBinary(struct Wrapper *wrapper)
{
    image[images].wrapper = wrapper;
    return (void **)&image[images++];
}

int __wrap___cudaRegisterFunction(void **handle, void *host,
                                  const char *device, const char *name);
int __wrap___cudaRegisterFunction(void **handle, void *host,
                                  const char *device, const char *name)
{
    known[all_known++] = (struct Known){ handle, host, device, name, 0, false };
    return 0;
}

void __wrap___cudaRegisterVar(void **handle, void *host, const char *device,
                              const char *name, int external, size_t bytes);
void __wrap___cudaRegisterVar(void **handle, void *host, const char *device,
                              const char *name, int external, size_t bytes)
{
    (void)external;
    known[all_known++] = (struct Known){ handle, host, device, name, bytes,
                                         true };
}

static bool has_kernel(const char *ptx, const char *name)
{
    char line[1000];
    snprintf(line, sizeof line, ".entry %s(", name);
    return strstr(ptx, line) != NULL;
}

/* The kernels of the file `ptx`, and all others as they are. */
static void take_kernels(const char *ptx)
{
    void **wrong = NULL;
    static struct Wrapper w;
    if (strcmp(ptx, "-") != 0) {
        w.text = read_all(ptx);
        wrong = __real___cudaRegisterFatBinary(&w);
    }
    for (int i = 0; i < images; i++)
        image[i].handle = __real___cudaRegisterFatBinary(image[i].wrapper);
    for (int i = 0; i < all_known; i++) {
        const struct Known *k = &known[i];
        void **handle = ((struct Image *)(void *)k->image)->handle;
        if (k->variable)
            __real___cudaRegisterVar(handle, k->host, k->device, k->name, 0,
                                     k->bytes, 0, 0);
        else
            __real___cudaRegisterFunction(
                wrong && has_kernel(w.text, k->device) ? wrong : handle,
                k->host, k->device, k->name, -1, NULL, NULL, NULL, NULL, NULL);
    }
}

/* Say which kernels run, each once: `kernel NAME`. */
cudaError_t __wrap_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream)
{
    for (int i = 0; i < all_known; i++)
        if (known[i].host == host && known[i].device) {
            printf("# kernel %s\n", known[i].device);
            known[i].device = NULL;
        }
    return __real_cudaLaunchKernel(host, grid, block, arguments, bytes,
                                   stream);
}
#else
static void take_kernels(const char *ptx) { (void)ptx; }
#endif

/* ---- rows, alone ---------------------------------------------------------- */

static unsigned seconds(void)       /* that a row may take */
{
    const char *given = getenv("WRONG_SECONDS");
    return given ? (unsigned)atoi(given) : 60;
}

int __real__cmocka_run_group_tests(const char *group,
                                   const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup,
                                   CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group,
                                   const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup,
                                   CMFixtureFunction teardown);

static void say_how(int number, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        printf("%d\ttime-out\n", number);
    else if (WIFSIGNALED(status))
        printf("%d\tsignal %d\n", number, WTERMSIG(status));
    else
        printf("%d\texit %d\n", number, WEXITSTATUS(status));
    fflush(stdout);
}

/* In a process of its own, which is ended by an alarm, and what it started
 * with it. */
static void run_row(int number, const char *log, int chosen, const char *ptx,
                    const char *group, const struct CMUnitTest *test,
                    CMFixtureFunction setup, CMFixtureFunction teardown)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        int to = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (to < 0 || dup2(to, 1) < 0 || dup2(to, 2) < 0)
            abort();
        alarm(seconds());
        wrong_chosen = chosen;
        take_kernels(ptx);
        exit(__real__cmocka_run_group_tests(group, test, 1, setup, teardown));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    kill(-child, SIGKILL);
    say_how(number, status);
}

int __wrap__cmocka_run_group_tests(const char *group,
                                   const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup,
                                   CMFixtureFunction teardown)
{
    const char *path = getenv("WRONG_JOBS");
    char log[1000], ptx[1000], row[1000];
    for (size_t i = 0; !path && i < n; i++)
        printf("%s\n", tests[i].name);
    if (!path)
        return 0;
    /* read whole: a child that ends would move where its parent reads on */
    char *jobs = read_all(path), *next = jobs;
    for (int number = 1, chosen, length;
         sscanf(next, "%d\t%999[^\t]\t%999[^\n]\n%n", &chosen, ptx, row,
                &length) == 3; number++, next += length) {
        snprintf(log, sizeof log, "%s.%d", path, number);
        for (size_t i = 0; i < n; i++)
            if (strcmp(tests[i].name, row) == 0) {
                run_row(number, log, chosen, ptx, group, &tests[i], setup,
                        teardown);
                break;
            }
    }
    free(jobs);
    return 0;
}
