/* Tangled from chapters/workshop/file-formats.nw, "Safetensors".  Edit it there. */

/* safetensors.h: named tensors in a file.  The reader trusts nothing: a
 * file that it opens has a header inside the file, tensors that fill the
 * data without hole or overlap, and sizes that agree with shapes. */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/file.h"
#include "base/real.h"

#define ST_MAX_DIMS 8

enum StType { ST_BOOL, ST_U8, ST_I8, ST_I16, ST_U16, ST_F16, ST_BF16,
              ST_I32, ST_U32, ST_F32, ST_I64, ST_U64, ST_F64, ST_TYPES };

struct StTensor {
    char    *name;
    enum StType type;
    int      ndim;
    uint64_t shape[ST_MAX_DIMS];
    uint64_t count;                      /* elements */
    uint64_t begin, end;                 /* bytes from the data's start */
};

struct Safetensors {
    char    *path;                       /* as given, for messages */
    struct Mapped map;
    const unsigned char *data;           /* first byte after the header */
    uint64_t data_offset, data_bytes;
    int      n;
    struct StTensor *tensor;             /* [n], sorted by name */
};

/* Open and check the whole header.  s is safe to close after a failure. */
bool safetensors_open(struct Safetensors *s, const char *path,
                      struct Error *e);
void safetensors_close(struct Safetensors *s);

/* The same for bytes in memory, which must outlive s. */
bool safetensors_parse(struct Safetensors *s, const char *path,
                       const void *bytes, size_t size, struct Error *e);

/* The tensor of this name, or NULL. */
const struct StTensor *safetensors_find(const struct Safetensors *s,
                                        const char *name);

/* Copy t to out [count], converting F64, F32, F16 and BF16 to real.
 * False if t has another type. */
bool safetensors_read(const struct Safetensors *s,
                      const struct StTensor *t, real *out,
                      struct Error *e);

/* What the writer is given: real data [rows][cols], or [cols] if rows is
 * 0, written as F32; or, if data is NULL, elements of a type, written as
 * they are. */
struct StSource {
    const char *name;
    size_t rows, cols;
    const real *data;
    const void *raw;
    enum StType type;
};

/* Write n tensors, sorted by name.  The file appears whole or not at all;
 * it is on disk when this returns true. */
bool safetensors_write(const char *path, const struct StSource *source,
                       int n, struct Error *e);

#endif
