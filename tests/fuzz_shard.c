/* The shard reader on any bytes: accept or refuse, never read outside. */
#include "data/shard.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);     /* aligned, exact */
    struct Shard s = {0};
    struct Error e;
    memcpy(copy, data, size);
    if (shard_parse(&s, "fuzz", copy, size, &e)) {
        if (s.count * 2 + 1024 != size)
            abort();
        if (shard_check(&s, 65536, &e) != true)
            abort();
        bool small = shard_check(&s, 100, &e);
        for (size_t i = 0; i < s.count; i++)
            if (small && s.token[i] >= 100)
                abort();
    }
    free(copy);
    return 0;
}
