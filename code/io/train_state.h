/* Tangled from chapters/workshop/file-formats.nw, "The training state".  Edit it there. */

/* train_state.h: train.json, the step of a run and the fields that the
 * training loop wants to find again. */
#ifndef IO_TRAIN_STATE_H
#define IO_TRAIN_STATE_H

#include <stdint.h>
#include "base/json.h"

enum FieldType { FIELD_INT, FIELD_INT64, FIELD_DOUBLE, FIELD_TEXT };
#define FIELD_TEXT_MAX 1024              /* char [FIELD_TEXT_MAX] */

/* One entry of train.json, saved from and loaded into *value.  Integers
 * are at least 0; a double comes back with the same bits. */
struct Field { const char *name; enum FieldType type; void *value; };

/* Write the step and field [n] to a file, whole or not at all. */
bool train_state_write(const char *path, int64_t step,
                       const struct Field *field, int n, struct Error *e);

/* Parse a train.json and check that it is one, has a step, and has each
 * field with a value of its type.  No *value changes.  Free doc with
 * json_free, also after a failure. */
bool train_state_open(struct JsonDocument *doc, const char *path,
                      const struct Field *field, int n, int64_t *step,
                      struct Error *e);

/* Copy the values of an opened train.json into the fields. */
void train_state_load(const struct JsonDocument *doc,
                      const struct Field *field, int n);

#endif
