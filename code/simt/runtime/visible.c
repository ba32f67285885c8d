/* Tangled from chapters/workshop/foreign-programs.nw, "Memory that host and device see".  Edit it there. */

#include "simt/runtime/runtime.h"

#include "base/alloc.h"
#include "simt/simt.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Memory of one allocation: where the device has it, where the host has
 * it (the same address, unless it was registered). */
struct Shown {
    char *device, *host;
    size_t bytes, pages;        /* asked for; of whole pages */
    enum Visible kind;
};
static struct Shown *shown;
static int n_shown, shown_room;

/* find memory that both see */
static struct Shown *find(const void *p)
{
    for (int i = 0; i < n_shown; i++) {
        struct Shown *s = &shown[i];
        if ((size_t)((const char *)p - s->device) < s->bytes ||
            (size_t)((const char *)p - s->host) < s->bytes)
            return s;
    }
    return NULL;
}

enum Visible visible_find(const void *p, void **first, void **own)
{
    const struct Shown *s = find(p);
    if (!s)
        return VISIBLE_NOT;
    if (first)
        *first = s->device;
    if (own)
        *own = s->host;
    return s->kind;
}

/* map the pages twice */
static int nameless_file(size_t bytes)
{
#ifdef __linux__
    int fd = memfd_create("simt", 0);
#else
    FILE *f = tmpfile();
    int fd = f ? dup(fileno(f)) : -1;
    if (f)
        fclose(f);
#endif
    if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool map(int fd, void *at, size_t bytes)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                fd, 0) == at;
}

/* Both views of the device's pages are private again, and empty. */
static void unmap(struct Shown *s)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    mmap(s->device, s->pages, PROT_NONE, flags, -1, 0);
    mmap(memory_bytes((uint64_t)(uintptr_t)s->device), s->pages,
         PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* allocate and free what both see */
static cudaError_t show(const char *call, struct Shown s, char *host)
{
    struct Error e;
    uint64_t address;
    s.pages = (s.bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    const char *name = s.kind == VISIBLE_MANAGED ? NULL
                                                 : "memory of the host";
    if (!memory_alloc_pages(&address, s.bytes, name, &e))
        return refuse(cudaErrorMemoryAllocation, "%s: %s", call, e.text);
    s.device = (char *)(uintptr_t)address;
    s.host = host ? host : s.device;
    int fd = nameless_file(s.pages);
    bool mapped = fd >= 0 && map(fd, memory_bytes(address), s.pages);
    if (mapped && host)
        memcpy(memory_bytes(address), host, s.pages);
    mapped = mapped && map(fd, s.host, s.pages);
    if (fd >= 0)
        close(fd);
    if (!mapped) {
        memory_free(address);
        return refuse(cudaErrorMemoryAllocation, "%s: the system gives no "
                      "%zu bytes to both sides", call, s.bytes);
    }
    check_host_wrote(address, s.bytes);
    if (n_shown == shown_room) {
        shown_room = 2 * shown_room + 8;
        shown = xrealloc(shown, (size_t)shown_room * sizeof *shown);
    }
    shown[n_shown++] = s;
    return cudaSuccess;
}

cudaError_t visible_alloc(const char *call, void **pointer, size_t bytes,
                          enum Visible kind)
{
    cudaError_t code = show(call, (struct Shown){ .bytes = bytes,
                                                  .kind = kind }, NULL);
    *pointer = code ? NULL : shown[n_shown - 1].device;
    return code;
}

bool visible_free(void *pointer)
{
    struct Shown *s = find(pointer);
    if (!s || (pointer != s->device && pointer != s->host))
        return false;
    if (s->kind != VISIBLE_REGISTERED)
        unmap(s);
    memory_free((uint64_t)(uintptr_t)s->device);
    *s = shown[--n_shown];
    return true;
}

/* register memory of the host */
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    char here;
    (void)flags;
    ENTER();
    if (!pointer || !bytes)
        return refuse(cudaErrorInvalidValue, "cudaHostRegister: nothing to "
                      "register");
    if (find(pointer))
        return refuse(cudaErrorHostMemoryAlreadyRegistered,
                      "cudaHostRegister(%p): it is registered", pointer);
    if ((size_t)((char *)pointer - &here + (1 << 20)) < (size_t)9 << 20)
        return refuse(cudaErrorNotSupported, "cudaHostRegister(%p): this "
                      "is the stack: allocate the memory", pointer);
    size_t before = (uintptr_t)pointer % PAGE;
    return show(__func__, (struct Shown){ .bytes = bytes + before,
                .kind = VISIBLE_REGISTERED }, (char *)pointer - before);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    ENTER();
    struct Shown *s = find(pointer);
    if (!s || s->kind != VISIBLE_REGISTERED)
        return refuse(cudaErrorHostMemoryNotRegistered,
                      "cudaHostUnregister(%p): it is not registered",
                      pointer);
    visible_free(s->host);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned flags)
{
    (void)flags;
    ENTER();
    struct Shown *s = find(host);
    if (!s)
        return refuse(cudaErrorInvalidValue, "cudaHostGetDevicePointer(%p):"
                      " not from cudaHostAlloc, cudaMallocHost or "
                      "cudaHostRegister", host);
    *device = s->host == s->device ? host
              : s->device + ((char *)host - s->host);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    ENTER();
    *flags = cudaHostAllocMapped;
    return find(host) ? cudaSuccess
                      : refuse(cudaErrorInvalidValue, "cudaHostGetFlags(%p)"
                               ": no pinned memory", host);
}
