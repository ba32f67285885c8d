/* Tangled from chapters/workshop/ground-floor.nw, "Files that are whole or not there".  Edit it there. */

#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FILE_PATH_MAX 4096      /* bytes of a path, with its final 0 */

/* A whole file as read-only memory.  An empty file has size 0 and a data
 * pointer that must not be read.  If the file is cut short while it is
 * mapped, reading what is gone ends the program with a message and status
 * 1.  One thread at a time maps and unmaps. */
struct Mapped {
    const unsigned char *data;
    size_t size;            /* bytes */
    struct Range *range;
};

bool map_file(struct Mapped *m, const char *path, struct Error *e);
void unmap_file(struct Mapped *m);

/* A file being written under a temporary name.  After the first failure
 * writer_write does nothing and returns false, and writer_commit reports
 * that failure; so a caller may check only the commit. */
struct Writer {
    FILE *file;
    char path[FILE_PATH_MAX], temporary[FILE_PATH_MAX + 32];
    bool failed;
    struct Error error;
};

bool writer_open(struct Writer *w, const char *path, struct Error *e);
bool writer_write(struct Writer *w, const void *data, size_t size);
bool writer_commit(struct Writer *w, struct Error *e);
void writer_abort(struct Writer *w);        /* remove what was written */

/* The three in one: a file of these bytes. */
bool write_file(const char *path, const void *data, size_t size,
                struct Error *e);

/* out = DIR/NAME, or the directory of a file: "." if its path has no
 * slash.  False if that is too long. */
bool path_join(char out[FILE_PATH_MAX], const char *dir, const char *name,
               struct Error *e);
bool path_dir(char out[FILE_PATH_MAX], const char *path, struct Error *e);

/* Like mkdir -p.  A path that exists and is no directory is an error. */
bool make_dirs(const char *path, struct Error *e);

/* Flush a directory's own entries (names) to the disk. */
bool sync_dir(const char *path, struct Error *e);

/* Take the directory for this process alone, by a lock on DIR/lock that
 * the system drops when the process ends, however it ends.  Returns false
 * if another process holds it. */
bool lock_dir(const char *path, struct Error *e);

#endif
