/* The header reader on arbitrary bytes; what it accepts must be true. */
#include <stdint.h>
#include <stdlib.h>
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct Safetensors s;
    struct Error e;
    if (safetensors_parse(&s, "input", data, size, &e)) {
        uint64_t sum = 0;
        for (int i = 0; i < s.n; i++) {
            const struct StTensor *t = &s.tensor[i];
            if (safetensors_find(&s, t->name) != t)
                abort();
            sum += t->end - t->begin;
            real *out = malloc((t->count + 1) * sizeof *out);
            if (out && safetensors_read(&s, t, out, &e)
                && t->end - t->begin < t->count)
                abort();
            free(out);
        }
        if (sum != s.data_bytes)
            abort();
    }
    safetensors_close(&s);
    return 0;
}
