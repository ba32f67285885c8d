/* Tangled from chapters/workshop/file-formats.nw, "The config of a file".  Edit it there. */

/* hf_config.h: config.json as transformers writes it, and the config of
 * the model whose weights a file holds. */
#ifndef IO_HF_CONFIG_H
#define IO_HF_CONFIG_H

#include <stdint.h>
#include "gpt2/config.h"
#include "io/safetensors.h"

/* The five numbers of a config.json; -1 where it does not give one. */
struct HfConfig { int64_t V, T, C, L, NH; };

/* Read a config.json.  Refuses one that asks for another model than a
 * GPT-2, and numbers outside 1 to 65536. */
bool hf_config_read(struct HfConfig *h, const char *path, struct Error *e);

/* The config of the model in s: from the shapes, and from a config.json in
 * the same directory, if there is one, which must agree with them.  The
 * number of heads is `heads` if that is > 0; else what config.json gives;
 * else C / 64. */
bool hf_config_find(struct Config *c, const struct Safetensors *s,
                    int heads, struct Error *e);

/* Write a config.json that transformers can load. */
bool hf_config_write(const char *path, const struct Config *c,
                     struct Error *e);

#endif
