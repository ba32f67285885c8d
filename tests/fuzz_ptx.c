/* Whatever the bytes, module_read reads a module or refuses it with a
 * sentence; what it reads is whole: every branch and place inside bounds. */
#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void look_at(const struct Kernel *k)
{
    if (!k->name || !*k->name || k->instructions < 0)
        abort();
    for (int i = 0; i < k->instructions; i++) {
        const struct Instruction *n = &k->code[i];
        if (!n->run || n->line < 0 || n->file < 0)
            abort();
        if (n->work == WORK_BRANCH && !n->table &&
            (n->target < 0 || n->target >= k->instructions))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct Module m;
    struct Error e = { "" };
    size_t used, total, after;
    memory_totals(&used, &total);
    if (module_read(&m, (const char *)data, size, &e)) {
        for (int i = 0; i < m.n_kernels; i++)
            look_at(&m.kernels[i]);
        module_free(&m);
    } else if (!e.text[0]) {
        abort();
    }
    memory_totals(&after, &total);
    if (after != used)
        abort();
    return 0;
}
