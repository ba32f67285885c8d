/* Tangled from chapters/workshop/file-formats.nw, "Whole or not at all".  Edit it there. */

#include "io/checkpoint_dir.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_PREFIX "step-"
#define TEMP_PREFIX "tmp-"      /* being written, or being deleted */
#define OLD_PREFIX  "old-"      /* being replaced */

/* read and write the names of the directories */
/* "step-000100" -> 100, anything else -> -1. */
static int64_t step_of(const char *name)
{
    size_t n = strlen(STEP_PREFIX);
    if (strncmp(name, STEP_PREFIX, n) != 0)
        return -1;
    const char *digits = name + n;
    size_t count = strspn(digits, "0123456789");
    if (count < 6 || count > 18 || digits[count])
        return -1;
    return strtoll(digits, NULL, 10);
}

int64_t checkpoint_step(const char *path)
{
    const char *slash = strrchr(path, '/');
    return step_of(slash ? slash + 1 : path);
}

/* Is it the name of a checkpoint with this prefix? */
static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0
        && step_of(name + strlen(prefix)) >= 0;
}

static bool step_path(char path[FILE_PATH_MAX], const char *out,
                      const char *prefix, int64_t step, struct Error *e)
{
    char name[64];
    snprintf(name, sizeof name, "%s" STEP_PREFIX "%06" PRId64, prefix,
             step);
    return path_join(path, out, name, e);
}

/* remove or rename a directory */
static bool dir_error(const char *path, const char *doing, struct Error *e)
{
    return error_set(e, "%s: cannot %s: %s", path, doing, strerror(errno));
}

/* A checkpoint holds files only; anything else stops the removal. */
static bool remove_dir(const char *path, struct Error *e)
{
    DIR *d = opendir(path);
    if (!d)
        return dir_error(path, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        char name[FILE_PATH_MAX];
        if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, ".."))
            continue;
        ok = path_join(name, path, f->d_name, e)
            && (unlink(name) == 0 || dir_error(name, "delete", e));
    }
    closedir(d);
    return ok && (rmdir(path) == 0 || dir_error(path, "delete", e));
}

static bool rename_dir(const char *from, const char *to, struct Error *e)
{
    return rename(from, to) == 0 || dir_error(from, "rename", e);
}

/* begin, publish, abandon */
bool checkpoint_begin(struct CheckpointDir *d, const char *out,
                      int64_t step, struct Error *e)
{
    d->out = out;
    d->step = step;
    if (!make_dirs(out, e) || !step_path(d->path, out, "", step, e)
        || !step_path(d->temporary, out, TEMP_PREFIX, step, e))
        return false;
    if (access(d->temporary, F_OK) == 0 && !remove_dir(d->temporary, e))
        return false;
    return make_dirs(d->temporary, e);
}

bool checkpoint_publish(const struct CheckpointDir *d, struct Error *e)
{
    char old[FILE_PATH_MAX];
    if (!sync_dir(d->temporary, e)
        || !step_path(old, d->out, OLD_PREFIX, d->step, e))
        return false;
    bool replace = access(d->path, F_OK) == 0;
    if (replace && !rename_dir(d->path, old, e))
        return false;
    if (!rename_dir(d->temporary, d->path, e) || !sync_dir(d->out, e))
        return false;
    return !replace || remove_dir(old, e);
}

void checkpoint_abandon(const struct CheckpointDir *d)
{
    remove_dir(d->temporary, NULL);
}

/* recover what a killed save left */
/* Put an old- directory back if its place is empty; else delete it. */
static bool recover(const char *out, const char *name, struct Error *e)
{
    char path[FILE_PATH_MAX], to[FILE_PATH_MAX];
    if (!path_join(path, out, name, e)
        || !path_join(to, out, name + strlen(OLD_PREFIX), e))
        return false;
    return access(to, F_OK) == 0 ? remove_dir(path, e)
                                 : rename_dir(path, to, e);
}

bool checkpoint_clean(const char *out, struct Error *e)
{
    DIR *d = opendir(out);
    if (!d)
        return dir_error(out, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        char path[FILE_PATH_MAX];
        if (has_prefix(f->d_name, OLD_PREFIX))
            ok = recover(out, f->d_name, e);
        else if (has_prefix(f->d_name, TEMP_PREFIX))
            ok = path_join(path, out, f->d_name, e) && remove_dir(path, e);
    }
    closedir(d);
    return ok;
}

/* list the checkpoints, newest first */
static int newest_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The steps of all checkpoints in OUT, newest first; *list to be freed. */
static bool list_steps(const char *out, int64_t **list, size_t *n,
                       struct Error *e)
{
    *list = NULL;
    *n = 0;
    DIR *d = opendir(out);
    if (!d)
        return dir_error(out, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        int64_t step = step_of(f->d_name);
        if (step < 0)
            continue;
        int64_t *more = realloc(*list, (*n + 1) * sizeof **list);
        ok = more != NULL;
        if (ok) {
            *list = more;
            more[(*n)++] = step;
        }
    }
    closedir(d);
    if (!ok) {
        free(*list);
        return error_set(e, "%s: no memory to list %zu checkpoints", out,
                         *n + 1);
    }
    if (*n)
        qsort(*list, *n, sizeof **list, newest_first);
    return true;
}

/* find the newest, delete the others */
bool checkpoint_latest(const char *out, char path[FILE_PATH_MAX],
                       int64_t *step, struct Error *e)
{
    int64_t *list;
    size_t n;
    if (!list_steps(out, &list, &n, e))
        return false;
    *step = n ? list[0] : -1;
    free(list);
    return *step < 0 || step_path(path, out, "", *step, e);
}

/* Out of sight first, then gone: a kill between leaves no half. */
static bool remove_step(const char *out, int64_t step, struct Error *e)
{
    char path[FILE_PATH_MAX], temp[FILE_PATH_MAX];
    return step_path(path, out, "", step, e)
        && step_path(temp, out, TEMP_PREFIX, step, e)
        && rename_dir(path, temp, e) && remove_dir(temp, e);
}

bool checkpoint_prune(const char *out, int keep, struct Error *e)
{
    int64_t *list;
    size_t n;
    if (keep <= 0)
        return true;
    if (!list_steps(out, &list, &n, e))
        return false;
    bool ok = true;
    for (size_t i = (size_t)keep; ok && i < n; i++)
        ok = remove_step(out, list[i], e);
    free(list);
    return ok;
}
