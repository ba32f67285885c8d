/* Linked by tests/lib/ladder.sh into a ladder's program: it takes the kernels
 * that the PTX file WRONG_KERNELS has from there, and all others as they are;
 * and it appends the names of those that are launched to the file
 * WRONG_LAUNCHED, each once.  The linker's --wrap brings the calls here. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "simt/include/cuda_runtime_api.h"

struct Wrapper { int magic, version; const char *text; void *unused; };

static struct Known { const void *host; const char *device; } known[1000];
static int all_known;

void **__cudaRegisterFatBinary(struct Wrapper *wrapper);
int __real___cudaRegisterFunction(void **handle, const void *host,
                                  const char *device, const char *name,
                                  int threads, void *tid, void *bid,
                                  void *block, void *grid, int *warp);
cudaError_t __real_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream);

static const char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 24);
    if (!f || !text)
        abort();
    size_t length = fread(text, 1, 1 << 24, f);
    if (length == 0 || length == 1 << 24)
        abort();
    fclose(f);
    return text;
}

static bool has_kernel(const char *ptx, const char *name)
{
    char line[1000];
    snprintf(line, sizeof line, ".entry %s(", name);
    return strstr(ptx, line) != NULL;
}

int __wrap___cudaRegisterFunction(void **handle, const void *host,
                                  const char *device, const char *name);
int __wrap___cudaRegisterFunction(void **handle, const void *host,
                                  const char *device, const char *name)
{
    static struct Wrapper wrapper;
    static void **wrong;
    const char *path = getenv("WRONG_KERNELS");
    if (path && !wrong) {
        wrapper.text = read_all(path);
        wrong = __cudaRegisterFatBinary(&wrapper);
    }
    if (all_known == sizeof known / sizeof *known)
        abort();
    known[all_known++] = (struct Known){ host, device };
    return __real___cudaRegisterFunction(
        path && has_kernel(wrapper.text, device) ? wrong : handle, host,
        device, name, -1, NULL, NULL, NULL, NULL, NULL);
}

cudaError_t __wrap_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernel(const void *host, struct dim3 grid,
                                    struct dim3 block, void **arguments,
                                    size_t bytes, cudaStream_t stream)
{
    const char *path = getenv("WRONG_LAUNCHED");
    for (int i = 0; path && i < all_known; i++)
        if (known[i].host == host && known[i].device) {
            FILE *f = fopen(path, "a");
            if (!f || fprintf(f, "%s\n", known[i].device) < 0 || fclose(f))
                abort();
            known[i].device = NULL;
        }
    return __real_cudaLaunchKernel(host, grid, block, arguments, bytes,
                                   stream);
}
