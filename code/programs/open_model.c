/* Tangled from chapters/workshop/file-formats.nw, "Opening a model".  Edit it there. */

#include "programs/open_model.h"

#include <sys/stat.h>
#include "io/weights.h"
#include "programs/kernels.h"

const char *model_file(char path[FILE_PATH_MAX], const char *init)
{
    struct stat s;
    const bool inside = stat(init, &s) == 0 && S_ISDIR(s.st_mode);
    return inside && path_join(path, init, "model.safetensors", NULL)
           ? path : init;
}

void model_open(struct Model *m, const struct ModelSource *f, int B, int T)
{
    char path[FILE_PATH_MAX];
    const char *file = model_file(path, f->init);
    struct ModelOptions o;
    struct Config c;
    struct Error e;
    kernels_from_environment();
    if (!precision_options(&o, f->precision, NULL, true, &e))
        misuse("%s", e.text);
    if (!weights_config(&c, file, f->heads, &e)
        || !model_create_as(m, &c, B, T ? T : c.T, false, &o, &e)
        || !weights_load(m, file, &e))
        fail("%s", e.text);
}
