/* Tangled from chapters/workshop/file-formats.nw, "Finding a model by name".  Edit it there. */

/* config.h: the five numbers that make a GPT-2, and the models that have
 * a name. */
#ifndef GPT2_CONFIG_H
#define GPT2_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

C_FUNCTIONS_BEGIN

/* `struct Config` */
/* V vocabulary, T longest context, L layers, NH heads, C channels.  The
 * size of a head is HS = C / NH. */
struct Config { int V, T, L, NH, C; };

/* declare the functions of a config */
/* Fill c from a name: gpt2, gpt2-medium, gpt2-large, gpt2-xl, or d1 to
 * d48 (depth; V = 50257 and T = 1024 until the caller sets others).
 * False, with the nearest name in the text, if there is no such model. */
bool config_preset(struct Config *c, const char *name, struct Error *e);


/* Is c a model that can be built?  Every number at least 1, V at most
 * 65536 (tokens are stored in 16 bits), heads divide channels, and no
 * size overflows.  A reader of files calls this before it trusts them. */
bool config_check(const struct Config *c, struct Error *e);

/* The number of parameters of c, which has passed config_check. */
size_t config_params(const struct Config *c);

C_FUNCTIONS_END

#endif
