/* Tangled from chapters/workshop/ground-floor.nw, "Files that are whole or not there".  Edit it there. */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* say which mapped file was cut short */
/* A mapped file.  Ranges are used again, and never freed: the handler may
 * be walking the list. */
struct Range {
    const unsigned char *start;
    size_t size;            /* 0: of no file now */
    char *message;
    struct Range *next;
};

static struct Range *_Atomic ranges;
static struct sigaction before;

static void cut_short(int number, siginfo_t *info, void *context)
{
    const unsigned char *at = info->si_addr;
    (void)context;
    for (struct Range *r = ranges; r && info->si_code > 0; r = r->next)
        if (at >= r->start && at < r->start + r->size) {
            ssize_t n = write(2, r->message, strlen(r->message));
            (void)n;                /* if that fails, nothing is left */
            _exit(1);
        }
    sigaction(number, &before, NULL);
    if (info->si_code <= 0)             /* sent by a process */
        raise(number);
}

static struct Range *find_unused(void)
{
    for (struct Range *r = ranges; r; r = r->next)
        if (r->size == 0)
            return r;
    struct Range *r = calloc(1, sizeof *r);
    if (r) {
        r->next = ranges;
        ranges = r;
    }
    return r;
}

static void handle_cuts(void)
{
    struct sigaction was, a = { .sa_sigaction = cut_short,
                                .sa_flags = SA_SIGINFO };
    sigaction(SIGBUS, &a, &was);
    if (was.sa_sigaction != cut_short)
        before = was;
}

static struct Range *remember(const void *start, size_t size,
                              const char *path)
{
    struct Error e;
    struct Range *r = find_unused();
    char *message;
    if (!r)
        return NULL;
    error_set(&e, "%s: %.800s: was cut short while it was being read, or "
              "its disk fails; see that it is whole, and run again",
              program_name(), path);
    if (asprintf(&message, "%s\n", e.text) < 0)
        return NULL;
    free(r->message);
    r->message = message;
    r->start = start;
    r->size = size;
    handle_cuts();
    return r;
}

static void forget(struct Range *r)
{
    r->size = 0;
}

/* map a file into memory */
static bool map_open_file(struct Mapped *m, int fd, const char *path,
                          struct Error *e)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return error_set(e, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return error_set(e, "%s: not a regular file; give the path of a "
                         "file", path);
    m->size = (size_t)s.st_size;
    if (m->size == 0)
        return true;
    void *p = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return error_set(e, "%s: cannot map %zu bytes: %s", path, m->size,
                         strerror(errno));
    m->range = remember(p, m->size, path);
    if (!m->range) {
        munmap(p, m->size);
        return error_set(e, "%s: no memory to map it", path);
    }
    m->data = p;
    return true;
}

bool map_file(struct Mapped *m, const char *path, struct Error *e)
{
    *m = (struct Mapped){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(e, "%s: cannot open: %s", path, strerror(errno));
    bool ok = map_open_file(m, fd, path, e);
    close(fd);
    return ok;
}

void unmap_file(struct Mapped *m)
{
    if (m->data) {
        munmap((void *)m->data, m->size);
        forget(m->range);
    }
    *m = (struct Mapped){0};
}

/* join a path, and take its directory */
bool path_join(char out[FILE_PATH_MAX], const char *dir, const char *name,
               struct Error *e)
{
    int n = snprintf(out, FILE_PATH_MAX, "%s/%s", dir, name);
    return n < FILE_PATH_MAX
        || error_set(e, "%.60s...: the path is too long", dir);
}

bool path_dir(char out[FILE_PATH_MAX], const char *path, struct Error *e)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    if (n >= FILE_PATH_MAX)
        return error_set(e, "%.60s...: the path is too long", path);
    memcpy(out, slash ? path : ".", n);
    out[n] = 0;
    if (slash == path)
        strcpy(out, "/");
    return true;
}

/* write a file under a temporary name */
static bool writer_fail(struct Writer *w, const char *doing)
{
    if (!w->failed)
        error_set(&w->error, "%s: cannot %s: %s; nothing was changed "
                  "under that name", w->path, doing, strerror(errno));
    w->failed = true;
    return false;
}

bool writer_open(struct Writer *w, const char *path, struct Error *e)
{
    *w = (struct Writer){0};
    if (strlen(path) >= sizeof w->path)
        return error_set(e, "%.60s...: the path is too long", path);
    strcpy(w->path, path);
    snprintf(w->temporary, sizeof w->temporary, "%s.tmp-%ld", path,
             (long)getpid());
    w->file = fopen(w->temporary, "wbe");
    if (!w->file)
        return error_set(e, "%s: cannot write: %s", path, strerror(errno));
    return true;
}

bool writer_write(struct Writer *w, const void *data, size_t size)
{
    if (w->failed)
        return false;
    if (size && fwrite(data, 1, size, w->file) != size)
        return writer_fail(w, "write");
    return true;
}

bool writer_commit(struct Writer *w, struct Error *e)
{
    if (!w->failed && fflush(w->file) != 0)
        writer_fail(w, "write");
    if (!w->failed && fsync(fileno(w->file)) != 0)
        writer_fail(w, "write");
    if (fclose(w->file) != 0 && !w->failed)
        writer_fail(w, "close");
    w->file = NULL;
    if (!w->failed && rename(w->temporary, w->path) != 0)
        writer_fail(w, "rename");
    if (w->failed) {
        unlink(w->temporary);
        return error_set(e, "%s", w->error.text);
    }
    char dir[FILE_PATH_MAX];
    return path_dir(dir, w->path, e) && sync_dir(dir, e);
}

void writer_abort(struct Writer *w)
{
    if (w->file)
        fclose(w->file);
    w->file = NULL;
    unlink(w->temporary);
}

bool write_file(const char *path, const void *data, size_t size,
                struct Error *e)
{
    struct Writer w;
    if (!writer_open(&w, path, e))
        return false;
    writer_write(&w, data, size);
    return writer_commit(&w, e);
}

/* make directories, sync them, lock them */
static bool make_dir(const char *path, struct Error *e)
{
    struct stat s;
    if (mkdir(path, 0777) == 0)
        return true;
    int why = errno;
    if (why == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return true;
    return error_set(e, "%s: cannot make the directory: %s", path,
                     strerror(why));
}

bool make_dirs(const char *path, struct Error *e)
{
    char part[FILE_PATH_MAX];
    if (strlen(path) >= sizeof part)
        return error_set(e, "%.60s...: the path is too long", path);
    strcpy(part, path);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (!make_dir(part, e))
            return false;
        *p = '/';
    }
    return make_dir(part, e);
}

bool sync_dir(const char *path, struct Error *e)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_set(e, "%s: cannot open: %s", path, strerror(errno));
    bool ok = fsync(fd) == 0;
    int why = errno;
    close(fd);
    if (!ok)
        return error_set(e, "%s: cannot sync: %s", path, strerror(why));
    return true;
}

bool lock_dir(const char *path, struct Error *e)
{
    char name[FILE_PATH_MAX];
    if (!path_join(name, path, "lock", e))
        return false;
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set(e, "%s: cannot open: %s", name, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;        /* the descriptor stays open: it is the lock */
    int why = errno;
    close(fd);
    if (why == EWOULDBLOCK)
        return error_set(e, "%s: another run is writing into this "
                         "directory; wait for it or choose another --out",
                         path);
    return error_set(e, "%s: cannot lock: %s", name, strerror(why));
}
