/* Tangled from chapters/workshop/file-formats.nw, "Names of tensors".  Edit it there. */

/* hf_names.h: what the tensors of a GPT-2 are called in a file from the
 * hub of Hugging Face. */
#ifndef IO_HF_NAMES_H
#define IO_HF_NAMES_H

#include "gpt2/params.h"
#include "io/safetensors.h"

#define HF_PREFIX "transformer."

/* What the names in this file begin with: HF_PREFIX or nothing. */
const char *hf_prefix(const struct Safetensors *s);

/* Does the file hold every tensor of the table and no other?  Causal masks
 * (h.N.attn.bias, h.N.attn.masked_bias) and an lm_head.weight equal to
 * wte.weight may be there too. */
bool hf_names_check(const struct Safetensors *s, const struct ParamTable *t,
                    struct Error *e);

#endif
