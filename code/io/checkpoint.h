/* Tangled from chapters/workshop/file-formats.nw, "Checkpoints".  Edit it there. */

/* checkpoint.h: weights and training states on disk.
 *
 *   OUT/step-000100/model.safetensors      the weights
 *                   optimizer.safetensors  m.NAME and v.NAME
 *                   config.json            as transformers wants it
 *                   train.json             step, and the caller's fields
 */
#ifndef IO_CHECKPOINT_H
#define IO_CHECKPOINT_H

#include "gpt2/model.h"

#define CHECKPOINT_PATH_MAX 4096

/* ---- weights alone: --init FILE.safetensors ---- */

/* The config of the model in a file, from its shapes and, if it lies
 * beside the file, config.json.  heads > 0 says NH; else config.json
 * does; else a head is 64 channels wide. */
bool weights_config(struct Config *c, const char *path, int heads,
                    struct Error *e);

/* Read a GPT-2's weights into m->w.  Names may carry "transformer.";
 * buffers (h.N.attn.bias, h.N.attn.masked_bias) and a tied lm_head.weight
 * are skipped; any other missing or unknown tensor or shape is refused. */
bool weights_load(struct Model *m, const char *path, struct Error *e);
bool weights_save(const struct Model *m, const char *path,
                  struct Error *e);

/* ---- whole training states ---- */

enum FieldType { FIELD_INT, FIELD_INT64, FIELD_DOUBLE, FIELD_TEXT };
#define FIELD_TEXT_MAX 1024              /* char [FIELD_TEXT_MAX] */

/* One entry of train.json, saved from and loaded into *value.  Integers
 * are at least 0; a double comes back with the same bits. */
struct Field { const char *name; enum FieldType type; void *value; };

/* Write OUT/step-NNNNNN: whole or not at all, on disk when this returns
 * true.  adam_m and adam_v are [m->table.total], like the weights.  A
 * checkpoint of the same step is replaced. */
bool checkpoint_save(const char *out, int64_t step, const struct Model *m,
                     const real *adam_m, const real *adam_v,
                     const struct Field *field, int n_fields,
                     struct Error *e);

/* The newest checkpoint in OUT: sets *step and path and returns true;
 * *step = -1 and true if there is none; false if OUT cannot be read. */
bool checkpoint_latest(const char *out, char path[CHECKPOINT_PATH_MAX],
                       int64_t *step, struct Error *e);

/* The config of a checkpoint directory, to create the model with. */
bool checkpoint_config(struct Config *c, const char *path,
                       struct Error *e);

/* Load a checkpoint directory into m, the moments and the fields.  With
 * adam_m NULL the weights only.  Everything is checked against everything
 * before the first byte of m changes.  *step is what train.json says; it
 * must agree with the directory's name. */
bool checkpoint_load(const char *path, struct Model *m, real *adam_m,
                     real *adam_v, const struct Field *field, int n_fields,
                     int64_t *step, struct Error *e);

/* Remove what a killed save left in OUT.  Call when starting, with the
 * lock on OUT held. */
bool checkpoint_clean(const char *out, struct Error *e);

/* Delete all but the newest `keep` checkpoints (keep <= 0: none). */
bool checkpoint_prune(const char *out, int keep, struct Error *e);

#endif
