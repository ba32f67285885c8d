/* A whole checkpoint of which one file is replaced: the first byte of the
 * input says which, the rest is what it holds.  Loading must refuse it or
 * succeed, and a refusal must leave the model as it was. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/checkpoint.h"

static const struct Config small = { .V = 3, .T = 2, .L = 1, .NH = 1,
                                     .C = 2 };
static const char *const files[4] = { "model.safetensors",
    "optimizer.safetensors", "config.json", "train.json" };
static char out[40], dir[64];
static struct Model model;
static struct Optimizer adam;
static int64_t sequence = 5;
static double lr = 0.5;
static char text[FIELD_TEXT_MAX] = "text";
static struct Field field[3] = { { "sequence", FIELD_INT64, &sequence },
    { "lr", FIELD_DOUBLE, &lr }, { "data", FIELD_TEXT, text } };

static bool save(void)
{
    struct Error e;
    return checkpoint_save(out, 7, &model, &adam, field, 3, &e);
}

static void clean_up(void)
{
    for (int i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
    rmdir(dir);
    rmdir(out);
}

static void set_up(void)
{
    struct Error e;
    snprintf(out, sizeof out, "%s/mb-fuzz-XXXXXX",      /* memory is fast */
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(out) || !model_create(&model, &small, 1, 1, false, &e)
        || !optimizer_create(&adam, &model, &(struct OptimizerConfig){ 0 },
                             0, &e))
        abort();
    model_init(&model, 1);
    snprintf(dir, sizeof dir, "%s/step-000007", out);
    if (!save())
        abort();
    atexit(clean_up);
}

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t whole[4][8192];
    static size_t whole_size[4];
    char path[128];
    if (!adam.model) {
        set_up();
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/%s", dir, files[i]);
            FILE *f = fopen(path, "rb");
            whole_size[i] = f ? fread(whole[i], 1, 8192, f) : 0;
            if (!f || fclose(f) != 0)
                abort();
        }
    }
    if (size == 0)
        return 0;
    int i = data[0] & 3;
    snprintf(path, sizeof path, "%s/%s", dir, files[i]);
    put(path, data + 1, size - 1);
    struct Error e;
    struct Config c;
    int64_t step = -1;
    real first = model.w.base[0] = 42;
    checkpoint_config(&c, dir, &e);
    if (checkpoint_load(dir, &model, &adam, field, 3, &step, &e)
            ? step != 7 : step != -1 || model.w.base[0] != first)
        abort();
    put(path, whole[i], whole_size[i]);
    return 0;
}
