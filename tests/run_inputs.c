/* run_inputs MODEL SHARD B T STEPS SEED LR WARMUP OUT [NOISE]: what a run of
 * `train` with these options begins with and is fed, for a peer that is to
 * repeat it.  OUT.safetensors: the initial weights; with NOISE above 0 each
 * is multiplied by 1 + 1e-7 z, z normal from that seed, a change of a unit
 * in the last place.  OUT.csv: for each step the rate (cosine to a tenth)
 * and the windows of its batch: window w of T tokens begins at token w T of
 * the shard. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/fail.h"
#include "base/rng.h"
#include "gpt2/config.h"
#include "gpt2/trainer.h"
#include "io/weights.h"

int main(int argc, char **argv)
{
    struct Trainer t;
    struct Config model;
    struct Error e;
    char path[4096];
    program_set_name(argv[0]);
    if (argc != 10 && argc != 11)
        misuse("needs MODEL SHARD B T STEPS SEED LR WARMUP OUT [NOISE]");
    const struct TrainConfig config = {
        .B = atoi(argv[3]), .T = atoi(argv[4]), .accumulate = 1,
        .seed = strtoull(argv[6], NULL, 10),
        .schedule = { .shape = SCHEDULE_COSINE, .lr = atof(argv[7]),
                      .last = 0.1, .warmup = atoi(argv[8]),
                      .steps = atoi(argv[5]) },
    };
    if (!config_preset(&model, argv[1], &e)
        || !trainer_create(&t, &config, &model, argv[2], NULL, &e))
        fail("%s", e.text);
    model_init(&t.model, config.seed);
    struct Rng noise = rng_new(argc > 10 ? strtoull(argv[10], NULL, 10) : 0,
                               1);
    for (size_t i = 0; argc > 10 && i < t.model.table.total; i++)
        t.model.w.base[i] *= (real)(1 + 1e-7 * rng_normal(&noise));
    snprintf(path, sizeof path, "%s.safetensors", argv[9]);
    if (!weights_save(&t.model, path, &e))
        fail("%s", e.text);
    snprintf(path, sizeof path, "%s.csv", argv[9]);
    FILE *f = fopen(path, "w");
    if (!f)
        fail("%s: cannot write", path);
    fprintf(f, "step,lr,windows\n");
    for (int64_t s = 0; s < config.schedule.steps; s++) {
        fprintf(f, "%" PRId64 ",%.17g,", s + 1,
                schedule_lr(&config.schedule, s));
        for (int b = 0; b < config.B; b++)
            fprintf(f, "%s%" PRIu64, b ? " " : "", loader_window(&t.data,
                    (uint64_t)s * (uint64_t)config.B + (uint64_t)b));
        fputc('\n', f);
    }
    if (fclose(f) != 0)
        fail("%s: cannot write", path);
    trainer_free(&t);
    return 0;
}
