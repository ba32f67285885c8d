/* Tangled from chapters/workshop/file-formats.nw, "Names of tensors".  Edit it there. */

#include "io/hf_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "io/param_tensors.h"
#include "io/quantised_tensors.h"

/* find the prefix of a file's names */
const char *hf_prefix(const struct Safetensors *s)
{
    return safetensors_find(s, HF_PREFIX "wte.weight") ? HF_PREFIX : "";
}

/* is it a parameter, a tied classifier, a mask? */
static bool is_param(const struct ParamTable *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].name, name) == 0)
            return true;
    return false;
}

/* A second copy of wte under the name of the classifier is fine if it is
 * a copy; an untied classifier would be another model. */
static bool check_tied(const struct Safetensors *s,
                       const struct StTensor *head, struct Error *e)
{
    const struct StTensor *wte = param_tensor_find(s, hf_prefix(s),
                                                   "wte.weight");
    uint64_t bytes = wte->end - wte->begin;
    if (head->type == wte->type && head->ndim == 2
        && head->shape[0] == wte->shape[0]
        && head->shape[1] == wte->shape[1]
        && memcmp(s->data + head->begin, s->data + wte->begin, bytes) == 0)
        return true;
    return error_set(e, "%s: lm_head.weight at byte %" PRIu64 " is not "
                     "wte.weight; this program ties the two", s->path,
                     s->data_offset + head->begin);
}

/* The causal mask and its fill value, which old files carry along, of a
 * layer that the model has. */
static bool is_mask(const struct ParamTable *t, const char *name)
{
    char layer[PARAM_NAME_MAX];
    if (strncmp(name, "h.", 2) != 0)
        return false;
    int digits = (int)strspn(name + 2, "0123456789");
    const char *rest = name + 2 + digits;
    if (strcmp(rest, ".attn.bias") && strcmp(rest, ".attn.masked_bias"))
        return false;
    snprintf(layer, sizeof layer, "h.%.*s.ln_1.weight", digits, name + 2);
    return is_param(t, layer);
}

/* refuse every other tensor */
static bool check_extras(const struct Safetensors *s,
                         const struct ParamTable *t, struct Error *e)
{
    const char *prefix = hf_prefix(s);
    size_t skip = strlen(prefix);
    for (int i = 0; i < s->n; i++) {
        const struct StTensor *x = &s->tensor[i];
        bool prefixed = strncmp(x->name, prefix, skip) == 0;
        const char *name = prefixed ? x->name + skip : x->name;
        if (strcmp(x->name, "lm_head.weight") == 0) {
            if (!check_tied(s, x, e))
                return false;
        } else if (!prefixed || !(is_param(t, name) || is_mask(t, name)
                                  || quantised_tensor_scale(s, x->name)))
            return error_set(e, "%s: tensor '%.80s' at byte %" PRIu64
                             " has no place in a GPT-2 of %d tensors; the "
                             "file is of another model", s->path, x->name,
                             s->data_offset + x->begin, t->n);
    }
    return true;
}

bool hf_names_check(const struct Safetensors *s, const struct ParamTable *t,
                    struct Error *e)
{
    return param_tensors_check(s, hf_prefix(s), t, true, e)
        && check_extras(s, t, e);
}
