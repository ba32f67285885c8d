/* Tangled from chapters/workshop/programs.nw, "The log of a run".  Edit it there. */

#include "gpt2/runlog.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const headers[] = {
    "step,loss,val_loss,norm,lr,tokens_per_s\n",
    "step,ranks,slowest,slowest_ms,median_ms,least_ms\n",
};

/* Copy the header and the rows 1 .. step of the old file. */
static bool copy_rows(struct Writer *w, const struct Mapped *old,
                      const char *header, int64_t step, struct Error *e)
{
    const char *at = (const char *)old->data, *end = at + old->size;
    size_t first = strlen(header);
    if (old->size < first || memcmp(at, header, first) != 0)
        return error_set(e, "%s: not a log of this program (its first "
                         "line should be %.*s); give another --log",
                         w->path, (int)first - 1, header);
    writer_write(w, at, first);
    for (at += first; at < end; ) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        char number[24] = "";
        size_t length = (size_t)(newline - at);
        memcpy(number, at, length < 23 ? length : 23);
        long long row = strtoll(number, NULL, 10);
        if (row >= 1 && row <= step)
            writer_write(w, at, length + 1);
        at = newline + 1;
    }
    return true;
}

static bool cut_back(const char *path, const char *header, int64_t step,
                     struct Error *e)
{
    struct Mapped old;
    struct Writer w;
    if (!map_file(&old, path, e))
        return false;
    bool ok = writer_open(&w, path, e);
    if (ok && !copy_rows(&w, &old, header, step, e)) {
        writer_abort(&w);
        ok = false;
    } else if (ok) {
        ok = writer_commit(&w, e);
    }
    unmap_file(&old);
    return ok;
}

/* Has a print to the file, with this result, left the process? */
static bool written(const struct RunLog *l, int result, struct Error *e)
{
    return (result >= 0 && fflush(l->file) == 0)
        || error_set(e, "%s: cannot write: %s", l->path, strerror(errno));
}

bool runlog_open(struct RunLog *l, enum RunLogRows rows, const char *path,
                 int64_t step, bool resumes, struct Error *e)
{
    const char *header = headers[rows];
    struct stat s;
    l->file = NULL;
    if (strlen(path) >= sizeof l->path)
        return error_set(e, "%.60s...: the path is too long", path);
    strcpy(l->path, path);
    bool exists = stat(path, &s) == 0 && s.st_size > 0;
    if (exists && !resumes)
        return error_set(e, "%s: exists already, and this run starts "
                         "anew; remove it or give another --log", path);
    if (exists && !cut_back(path, header, step, e))
        return false;
    l->file = fopen(path, "ae");
    if (!l->file)
        return error_set(e, "%s: cannot write: %s", path, strerror(errno));
    return exists || written(l, fputs(header, l->file), e);
}

bool runlog_row(struct RunLog *l, const struct LogRow *r, struct Error *e)
{
    char val[32] = "";
    if (!l->file)
        return true;
    if (!isnan(r->val_loss))
        snprintf(val, sizeof val, "%.6f", r->val_loss);
    return written(l, fprintf(l->file, "%lld,%.6f,%s,%.6g,%.6g,%.0f\n",
                              (long long)r->step, r->loss, val, r->norm,
                              r->lr, r->tokens_per_s), e);
}

bool runlog_ranks(struct RunLog *l, const struct RankRow *r,
                  struct Error *e)
{
    return !l->file
        || written(l, fprintf(l->file, "%lld,%d,%d,%.3f,%.3f,%.3f\n",
                              (long long)r->step, r->ranks, r->slowest,
                              1e3 * r->most_s, 1e3 * r->median_s,
                              1e3 * r->least_s), e);
}

void runlog_close(struct RunLog *l)
{
    if (l->file)
        fclose(l->file);
    l->file = NULL;
}
