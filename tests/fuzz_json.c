/* Whatever the bytes, json_parse accepts or refuses them; what it accepts
 * can be walked to the last string, and children are counted right. */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static size_t walk(const struct Json *v)
{
    size_t sum = 0, n = 0;
    if (v->type == JSON_STRING && v->string[v->length] != 0)
        abort();
    if (v->type != JSON_ARRAY && v->type != JSON_OBJECT)
        return v->type == JSON_STRING ? v->length : 0;
    for (const struct Json *c = v->first; c; c = c->next, n++) {
        if (v->type == JSON_OBJECT)
            sum += strlen(c->key);
        sum += walk(c);
    }
    if (n != v->children)
        abort();
    return sum;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct JsonDocument d;
    struct Error e;
    if (json_parse(&d, "input", (const char *)data, size, &e)) {
        if (walk(d.root) == (size_t)-1)
            abort();
        json_free(&d);
    }
    return 0;
}
