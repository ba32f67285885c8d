/* Tangled from chapters/workshop/file-formats.nw, "The tensors of the table".  Edit it there. */

/* param_tensors.h: the rows of a parameter table as tensors of a file,
 * each named by a prefix and the name of the row. */
#ifndef IO_PARAM_TENSORS_H
#define IO_PARAM_TENSORS_H

#include "gpt2/params.h"
#include "io/safetensors.h"

/* The tensor of this prefix and name, or NULL. */
const struct StTensor *param_tensor_find(const struct Safetensors *s,
                                         const char *prefix,
                                         const char *name);

/* Is every row in the file, with its shape, and of floating-point numbers,
 * or, if `quantised`, in few bits (io/quantised_tensors.h)?  The message
 * names the tensor that is not. */
bool param_tensors_check(const struct Safetensors *s, const char *prefix,
                         const struct ParamTable *t, bool quantised,
                         struct Error *e);

/* Read every row to host memory [t->total], as numbers of type real
 * whatever the file has.  It must have passed param_tensors_check. */
bool param_tensors_read(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *t, real *host,
                        struct Error *e);

/* Write a file with the table once or several times: copy k is host[k]
 * [t->total], its names begin with prefix[k].  The file appears whole or
 * not at all. */
bool param_tensors_write(const char *path, const struct ParamTable *t,
                         const char *const prefix[],
                         const real *const host[], int copies,
                         struct Error *e);

#endif
