/* losses TEXT SHARD STEPS: train a small GPT-2 on the bytes of TEXT (which
 * are written to SHARD) and print each step's loss and norm with every
 * digit.  Built for each machine and in double: tests/machines.sh compares. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/fail.h"
#include "data/shard.h"
#include "gpt2/trainer.h"
#include "programs/kernels.h"

static void write_shard(const char *to, const char *from)
{
    static uint16_t token[100000];
    struct ShardWriter w;
    struct Error e;
    size_t n = 0;
    FILE *f = fopen(from, "rb");
    if (!f)
        fail("%s: cannot read", from);
    for (int c; n < 100000 && (c = getc(f)) != EOF; )
        token[n++] = (uint16_t)c;
    fclose(f);
    if (!shard_create(&w, to, &e) || !shard_append(&w, token, n)
        || !shard_finish(&w, &e))
        fail("%s", e.text);
}

int main(int argc, char **argv)
{
    const struct Config model = { .V = 256, .T = 64, .L = 4, .NH = 4,
                                  .C = 64 };
    const struct TrainConfig config = {
        .B = 4, .T = 64, .accumulate = 1, .seed = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .schedule = { .shape = SCHEDULE_COSINE, .lr = 1e-3, .last = 0.1,
                      .cooldown = 0.2, .warmup = 2, .steps = 100 },
    };
    struct Trainer t;
    struct Error e;
    program_set_name(argv[0]);
    if (argc != 4)
        misuse("needs TEXT SHARD STEPS");
    kernels_from_environment();
    write_shard(argv[2], argv[1]);
    if (!trainer_create(&t, &config, &model, argv[2], NULL, &e))
        fail("%s", e.text);
    model_init(&t.model, 1);
    for (int i = 0; i < atoi(argv[3]); i++) {
        struct StepReport r;
        if (!trainer_step(&t, &r, &e))
            fail("%s", e.text);
        printf("%.17g %.17g\n", r.loss, r.norm);
    }
    trainer_free(&t);
    return 0;
}
