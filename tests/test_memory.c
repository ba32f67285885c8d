/* No memory: each allocation of a function is refused in turn.  Whatever is
 * missing, the function says false with a message, leaves nothing allocated,
 * and does its work when it is called again.  The linker puts the functions
 * below in place of malloc and its like (mk/tests.mk). */
#include <omp.h>
#include <unistd.h>
#include "base/error.h"
#include "base/json.h"
#include "data/bpe_train.h"
#include "data/loader.h"
#include "data/shard.h"
#include "data/tokenizer.h"
#include "gpt2/memory.h"
#include "gpt2/writer.h"
#include "gpt2/trainer.h"
#include "io/checkpoint.h"
#include "io/checkpoint_dir.h"
#include "io/hf_config.h"
#include "io/weights.h"
#include "rows.h"               /* last: cmocka has a macro called fail */
#include "scratch.h"

/* ---- an allocator that refuses ---------------------------------------- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);

/* Calls since the start; the one to refuse, or 0; what is allocated. */
static int calls, nth, live;
static void *list[4096];

static bool refused(void)
{
    return ++calls == nth;
}

static void *note(void *p)
{
    int i = 0;
    while (i < 4095 && list[i])
        i++;
    live += p != NULL;
    list[i] = p;
    return p;
}

static void forget(const void *p)
{
    for (int i = 0; p && i < 4096; i++)
        if (list[i] == p) {
            list[i] = NULL;
            live--;
            return;
        }
}

void *__wrap_malloc(size_t n)
{
    return refused() ? NULL : note(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refused() ? NULL : note(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
    if (refused())
        return NULL;
    forget(p);
    return note(__real_realloc(p, n));
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
    return refused() ? NULL : note(__real_aligned_alloc(align, n));
}

void __wrap_free(void *p)
{
    forget(p);
    __real_free(p);
}

/* ---- what is tried ---------------------------------------------------- */

static const char *in_dir(const char *name)
{
    static char path[4][80];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static const char text[] = "the cat and the hat and the bat, "
    "pneumonoultramicroscopicsilicovolcanoconiosis, and the cat";
static const struct Config model = { .V = 300, .T = 16, .L = 2, .NH = 2,
                                     .C = 64 };

static bool train_vocab(struct Vocab *v, struct Error *e)
{
    struct BpeTrainer *t = bpe_trainer_new();
    if (!t)
        return error_set(e, "out of memory");
    bpe_trainer_add(t, (const uint8_t *)text, sizeof text - 1);
    const bool good = bpe_train(v, t, 266, NULL, e);
    bpe_trainer_free(t);
    return good;
}

static bool try_training(struct Error *e)
{
    struct Vocab v;
    if (!train_vocab(&v, e))
        return false;
    vocab_free(&v);
    return true;
}

static bool try_json(struct Error *e)
{
    static const char json[] = "{\"a\": [1, {\"b\": \"c\", \"d\": null}], "
                               "\"e\": true}";
    struct JsonDocument doc;
    if (!json_parse(&doc, "a text", json, sizeof json - 1, e))
        return false;
    json_free(&doc);
    return true;
}

static bool try_vocabulary(struct Error *e)
{
    struct Vocab v;
    if (!vocab_read(&v, in_dir("vocab"), e))
        return false;
    vocab_free(&v);
    return true;
}

static bool try_tokenizer(struct Error *e)
{
    struct Tokenizer *t = tokenizer_read(in_dir("vocab"), e);
    struct Tokens out = { 0 };
    if (!t)
        return false;
    const size_t n = sizeof text - 1;
    bool good = tokenizer_encode(t, &out, (const uint8_t *)text, n, 0, n)
                == n;
    if (!good)
        error_set(e, "out of memory");
    free(out.at);
    tokenizer_free(t);
    return good;
}

static bool try_loader(struct Error *e)
{
    struct Loader l;
    const struct LoaderConfig c = { .pattern = in_dir("tokens.bin"),
                                    .T = 16, .V = model.V };
    if (!loader_open(&l, &c, e))
        return false;
    loader_close(&l);
    return true;
}

static bool try_safetensors(struct Error *e)
{
    real x[6] = { 1, 2, 3, 4, 5, 6 };
    const struct StSource source[] = {
        { .name = "b", .rows = 2, .cols = 3, .data = x },
        { .name = "a", .cols = 6, .data = x } };
    struct Safetensors s = { 0 };
    bool good = safetensors_write(in_dir("x.safetensors"), source, 2, e)
             && safetensors_open(&s, in_dir("x.safetensors"), e)
             && safetensors_read(&s, safetensors_find(&s, "b"), x, e);
    safetensors_close(&s);
    return good;
}

/* A model, and what it computes. */
static bool use_model(struct Model *m, struct Error *e)
{
    int32_t tokens[32];
    real logits[300];
    for (int i = 0; i < 32; i++)
        tokens[i] = (i * 7) % 300;
    model_init(m, 1);
    const double loss = model_forward_backward(m, tokens, tokens, 2, 16, 1,
                                               false);
    const double squares = model_grad_sumsq(m);
    model_logits(m, logits, tokens, 1, 16);
    if (!model_ok(m, e))
        return isnan(loss) || isnan(squares) || isnan(logits[0]) ? false
             : error_set(e, "%s", "");
    assert_true(isfinite(loss) && squares > 0 && isfinite(logits[299]));
    return true;
}

static bool try_model(struct Error *e)
{
    struct Model m;
    if (!model_create(&m, &model, 2, 16, true, e))
        return false;
    const bool good = use_model(&m, e);
    model_free(&m);
    return good;
}

/* Its weights in a file, with a config.json beside it. */
static bool try_weights(struct Error *e)
{
    struct Model m;
    struct Config c;
    if (!model_create(&m, &model, 1, 16, false, e))
        return false;
    const bool good = weights_save(&m, in_dir("w.safetensors"), e)
        && hf_config_write(in_dir("config.json"), &model, e)
        && weights_config(&c, in_dir("w.safetensors"), 0, e)
        && weights_load(&m, in_dir("w.safetensors"), e);
    assert_true(!good || c.NH == model.NH);
    model_free(&m);
    return good;
}

/* An optimiser, and its moments in a file. */
static bool use_optimizer(struct Optimizer *o, struct Error *e)
{
    struct Safetensors s = { 0 };
    const bool good = optimizer_save(o, in_dir("o.safetensors"), e)
        && optimizer_open(&s, in_dir("o.safetensors"), &o->model->table, e)
        && optimizer_read(o, &s, e);
    safetensors_close(&s);
    return good;
}

static bool try_optimizer(struct Error *e)
{
    struct Model m;
    struct Optimizer o;
    if (!model_create(&m, &model, 1, 16, true, e))
        return false;
    bool good = optimizer_create(&o, &m, &(struct OptimizerConfig){ 0 }, 1,
                                 e);
    assert_true(model_ok(&m, NULL));    /* it can be trained, or without */
    if (good) {
        good = use_optimizer(&o, e);
        optimizer_free(&o);
    }
    model_free(&m);
    return good;
}

static bool try_train_state(struct Error *e)
{
    struct JsonDocument doc = { 0 };
    int64_t step = -1, tokens = 5;
    const struct Field field[] = { { "tokens", FIELD_INT64, &tokens } };
    const bool good = train_state_write(in_dir("train.json"), 3, field, 1, e)
        && train_state_open(&doc, in_dir("train.json"), field, 1, &step, e);
    if (good)
        train_state_load(&doc, field, 1);
    json_free(&doc);
    assert_true(!good || (step == 3 && tokens == 5));
    return good;
}

/* Checkpoints of a model and its optimiser: save, find, load, delete. */
static bool use_checkpoints(struct Model *m, struct Optimizer *o,
                            struct Error *e)
{
    const char *out = in_dir("checkpoints");
    char path[FILE_PATH_MAX];
    struct Config c;
    int64_t step;
    return checkpoint_save(out, 1, m, o, NULL, 0, e)
        && checkpoint_save(out, 2, m, o, NULL, 0, e)
        && checkpoint_latest(out, path, &step, e)
        && checkpoint_config(&c, path, e)
        && checkpoint_load(path, m, o, NULL, 0, &step, e)
        && checkpoint_prune(out, 1, e);
}

static bool try_checkpoint(struct Error *e)
{
    struct Model m;
    struct Optimizer o;
    if (!model_create(&m, &model, 1, 16, false, e))
        return false;
    bool good = optimizer_create(&o, &m, &(struct OptimizerConfig){ 0 }, 1,
                                 e);
    if (good) {
        good = use_checkpoints(&m, &o, e);
        optimizer_free(&o);
    }
    model_free(&m);
    return good;
}

static bool try_plan(struct Error *e)
{
    static FILE *out;
    out = out ? out : fopen("/dev/null", "w");
    return model_print_plan(out, &model, 2, 16, true, true,
                            &(struct ModelOptions){ 0 }, e);
}

static bool try_sampler(struct Error *e)
{
    struct Model m;
    struct Vocab v;
    struct Sampler s;
    const uint16_t prompt[] = { 1, 2 };
    const int wanted = nth;
    nth = 0;                            /* what it needs is not refused */
    assert_true(model_create(&m, &model, 1, 16, false, e));
    assert_true(train_vocab(&v, e));
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    calls = 0;
    nth = wanted;
    bool good = sampler_create(&s, model.V, 1, 0, 1, 1)
        || error_set(e, "out of memory");
    if (good) {
        good = generate_text(&m, &v, &s, out, prompt, 2, 0, e);
        sampler_free(&s);
    }
    nth = 0;
    fclose(out);
    vocab_free(&v);
    model_free(&m);
    return good;
}

static bool try_trainer(struct Error *e)
{
    struct Trainer t;
    struct StepReport r;
    const struct TrainConfig c = { .B = 1, .T = 16, .accumulate = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8 },
        .schedule = { .shape = SCHEDULE_CONSTANT, .lr = 1e-3, .steps = 9 } };
    bool good = trainer_create(&t, &c, &model, in_dir("tokens.bin"), NULL,
                               e);
    if (good) {
        model_init(&t.model, 1);
        good = trainer_step(&t, &r, e)
            && trainer_save(&t, in_dir("out"), NULL, 0, e)
            && trainer_resume(&t, in_dir("out/step-000001"), e);
    }
    trainer_free(&t);
    return good;
}

static const struct Try {
    const char *name;
    bool (*run)(struct Error *e);
} tries[] = {
    { "json", try_json }, { "vocabulary", try_vocabulary },
    { "tokenizer", try_tokenizer }, { "bpe_train", try_training },
    { "safetensors", try_safetensors }, { "loader", try_loader },
    { "model", try_model }, { "plan", try_plan },
    { "weights", try_weights }, { "optimizer", try_optimizer },
    { "train_state", try_train_state }, { "checkpoint", try_checkpoint },
    { "sampler", try_sampler }, { "trainer", try_trainer },
};

/* Each with a backend of its own, for a failure stays with it. */
static bool attempt(const struct Try *t, int n, struct Error *e)
{
    struct Backend *b = backend_open(BACKEND_CPU, 0, e);
    assert_true(b != NULL);
    struct Backend *before = backend_use(b);
    calls = 0;
    nth = n;
    const bool good = t->run(e);
    nth = 0;
    backend_use(before);
    backend_close(b);
    return good;
}

static void refuse_row(const struct Row *row)
{
    const struct Try *t = tries;
    struct Error e = { "" };
    int n = 1;
    while (strncmp(row->name, t->name, strlen(t->name)) != 0)
        t++;
    assert_true(attempt(t, 0, &e));     /* what is made once is made now */
    assert_true(attempt(t, 0, &e));
    const int before = live, all = calls;
    for (;; n++) {
        e.text[0] = 0;
        const bool good = attempt(t, n, &e);
        if (live != before)
            fail_msg("allocation %d of %d: %d pieces are left", n, all,
                     live - before);
        if (good)
            break;
        if (!e.text[0])
            fail_msg("allocation %d of %d: no message", n, all);
    }
    if (n <= all)
        fail_msg("allocation %d of %d was not missed", n, all);
    assert_true(all >= row_int(row, "least"));
}

static const struct Row rows[] = {
    { "json least=3", refuse_row, "nodes kept when there are no strings" },
    { "vocabulary least=6", refuse_row, "a table that is used unasked" },
    { "tokenizer least=10", refuse_row, "a vocabulary that is left behind" },
    { "bpe_train least=20", refuse_row, "a list that did not grow" },
    { "safetensors least=8", refuse_row, "a tensor without a name" },
    { "loader least=2", refuse_row, "an error that is not returned" },
    { "model least=15", refuse_row, "a half-made model that is kept" },
    { "plan least=4", refuse_row, "tables that stay after a failure" },
    { "weights least=20", refuse_row, "a config.json that is not read" },
    { "optimizer least=20", refuse_row, "moments that are not given back" },
    { "train_state least=2", refuse_row, "a file that stays mapped" },
    { "checkpoint least=60", refuse_row, "a list of steps that is kept" },
    { "sampler least=3", refuse_row, "logits that stay after a failure" },
    { "trainer least=25", refuse_row, "a model that is not given back" },
};

int main(void)
{
    struct Error e;
    struct ShardWriter w;
    struct Vocab v;
    static uint16_t token[400];
    omp_set_num_threads(1);
    if (make_dir(NULL))
        return 1;
    for (int i = 0; i < 400; i++)
        token[i] = (uint16_t)(i * 7 % 300);
    if (!train_vocab(&v, &e) || !vocab_write(&v, in_dir("vocab"), &e)
        || !shard_create(&w, in_dir("tokens.bin"), &e)
        || !shard_append(&w, token, 400) || !shard_finish(&w, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    vocab_free(&v);
    const int failed = rows_run("memory", rows, sizeof rows / sizeof *rows);
    return remove_dir(NULL) ? 1 : failed;
}
