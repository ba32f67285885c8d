/* Weights files and checkpoints: what is written comes back bit for bit,
 * what lies is refused, and a kill at any moment loses nothing. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/rng.h"
#include "io/checkpoint.h"
#include "io/checkpoint_dir.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include <cmocka.h>
#include "named.h"

static struct Error error;
static char top[200];                   /* a directory for each test */

#define OK(call)                                          \
    do {                                                  \
        if (!(call))                                      \
            fail_msg("%s: %s", #call, error.text);        \
    } while (0)

#define REFUSED(call, says)                                            \
    do {                                                               \
        error.text[0] = 0;                                             \
        if (call)                                                      \
            fail_msg("%s: accepted", #call);                           \
        if (!strstr(error.text, says))                                 \
            fail_msg("says: %s", error.text);                          \
    } while (0)

static const struct Config small = { .V = 13, .T = 5, .L = 2, .NH = 2,
                                     .C = 6 };

static const char *in_top(const char *name)
{
    static char path[8][400];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", top, name);
    return p;
}

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    if (d) {
        for (struct dirent *f; (f = readdir(d)) != NULL;)
            if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0) {
                char name[700];
                snprintf(name, sizeof name, "%s/%s", path, f->d_name);
                remove_all(name);
            }
        closedir(d);
        rmdir(path);
    } else
        unlink(path);
}

static int count_entries(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *f; (f = readdir(d)) != NULL;)
        n += f->d_name[0] != '.';
    closedir(d);
    return n;
}

static int make_top(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(top, sizeof top, "%s/mb-checkpoint-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(top) ? 0 : -1;
}

static int drop_top(void **state)
{
    (void)state;
    remove_all(top);
    return 0;
}

/* ---- a state to save: every number a function of `mark` ---- */

struct State {
    struct Model m;
    struct Optimizer adam;
    int64_t sequence;
    int batch;
    double lr;
    char text[FIELD_TEXT_MAX];
    struct Field field[4];
};

static void state_open(struct State *s)
{
    OK(model_create(&s->m, &small, 1, 1, false, &error));
    OK(optimizer_create(&s->adam, &s->m, &(struct OptimizerConfig){ 0 }, 0,
                        &error));
    struct Field f[4] = { { "sequence", FIELD_INT64, &s->sequence },
                          { "batch", FIELD_INT, &s->batch },
                          { "lr", FIELD_DOUBLE, &s->lr },
                          { "data", FIELD_TEXT, s->text } };
    memcpy(s->field, f, sizeof f);
}

static void state_fill(struct State *s, int mark)
{
    struct Rng r = rng_new((uint64_t)mark, 0);
    for (int i = 0; i < s->m.table.n; i++)
        for (size_t k = 0; k < s->m.table.row[i].size; k++) {
            size_t at = s->m.table.row[i].offset + k;
            s->m.w.base[at] = (real)rng_normal(&r);
            s->adam.m[at] = (real)rng_normal(&r);
            s->adam.v[at] = (real)rng_uniform(&r);
        }
    s->sequence = 5000000000ll + mark;
    s->batch = mark;
    s->lr = mark + 0.1 / 3;
    snprintf(s->text, sizeof s->text, "a \"quoted\"\\path\n*.bin %d", mark);
}

static void state_close(struct State *s)
{
    optimizer_free(&s->adam);
    model_free(&s->m);
}

static bool save(struct State *s, int64_t step)
{
    return checkpoint_save(top, step, &s->m, &s->adam, s->field, 4, &error);
}

static bool load(struct State *s, const char *path, int64_t *step)
{
    return checkpoint_load(path, &s->m, &s->adam, s->field, 4, step,
                           &error);
}

static void assert_same(const struct State *a, const struct State *b)
{
    size_t bytes = a->m.table.total * sizeof(real);
    assert_memory_equal(a->m.w.base, b->m.w.base, bytes);
    assert_memory_equal(a->adam.m, b->adam.m, bytes);
    assert_memory_equal(a->adam.v, b->adam.v, bytes);
    assert_true(a->sequence == b->sequence && a->batch == b->batch);
    assert_memory_equal(&a->lr, &b->lr, sizeof a->lr);
    assert_string_equal(a->text, b->text);
}

static void saved_is_loaded(void **state)
{
    (void)state;
    struct State a, b;
    char path[FILE_PATH_MAX];
    int64_t step;
    struct Config c;
    state_open(&a);
    state_open(&b);
    state_fill(&a, 3);
    OK(save(&a, 100));
    OK(checkpoint_latest(top, path, &step, &error));
    assert_int_equal(step, 100);
    assert_string_equal(path, in_top("step-000100"));
    OK(checkpoint_config(&c, path, &error));
    assert_memory_equal(&c, &small, sizeof c);
    step = 0;
    OK(load(&b, path, &step));
    assert_int_equal(step, 100);
    assert_same(&a, &b);
    assert_int_equal(count_entries(path), 4);
    assert_int_equal(count_entries(top), 1);
    state_close(&a);
    state_close(&b);
}

static void latest_goes_by_number(void **state)
{
    (void)state;
    char path[FILE_PATH_MAX];
    int64_t step;
    OK(checkpoint_latest(top, path, &step, &error));
    assert_int_equal(step, -1);
    static const char *const names[] = { "step-000009", "step-000010",
        "step-1000000", "step-999999", "step-12", "step-9999999x",
        "tmp-step-2000000", "steps-3000000" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mkdir(in_top(names[i]), 0777);
    OK(checkpoint_latest(top, path, &step, &error));
    assert_int_equal(step, 1000000);
    assert_string_equal(path, in_top("step-1000000"));
    REFUSED(checkpoint_latest(in_top("none"), path, &step, &error),
            "cannot open");
}

static void prune_keeps_the_newest(void **state)
{
    (void)state;
    struct State s;
    state_open(&s);
    state_fill(&s, 1);
    for (int step = 8; step <= 12; step++)
        OK(save(&s, step));
    OK(checkpoint_prune(top, 0, &error));
    assert_int_equal(count_entries(top), 5);
    OK(checkpoint_prune(top, 2, &error));
    assert_int_equal(count_entries(top), 2);
    assert_true(access(in_top("step-000011"), F_OK) == 0);
    assert_true(access(in_top("step-000012"), F_OK) == 0);
    state_close(&s);
}

static void same_step_is_replaced(void **state)
{
    (void)state;
    struct State a, b;
    int64_t step;
    state_open(&a);
    state_open(&b);
    state_fill(&a, 1);
    OK(save(&a, 5));
    state_fill(&a, 2);
    OK(save(&a, 5));
    OK(load(&b, in_top("step-000005"), &step));
    assert_same(&a, &b);
    assert_int_equal(count_entries(top), 1);
    state_close(&a);
    state_close(&b);
}

static void leftovers_are_cleaned(void **state)
{
    (void)state;
    struct State a, b;
    int64_t step;
    state_open(&a);
    state_open(&b);
    state_fill(&a, 1);
    OK(save(&a, 5));
    OK(save(&a, 6));
    rename(in_top("step-000005"), in_top("old-step-000005"));
    mkdir(in_top("old-step-000006"), 0777);
    mkdir(in_top("tmp-step-000007"), 0777);
    mkdir(in_top("tmp-notes"), 0777);       /* the user's own */
    OK(checkpoint_clean(top, &error));
    OK(load(&b, in_top("step-000005"), &step));
    assert_same(&a, &b);
    assert_int_equal(count_entries(top), 3);
    state_close(&a);
    state_close(&b);
}

/* A child saves states 1, 2, 3, ... and is killed at some moment; what is
 * left must be the last whole state, or the one before if the kill came
 * between rename and report. */
static void killed_while_saving(void **state)
{
    (void)state;
    struct State s;
    state_open(&s);
    struct Rng r = rng_new((uint64_t)getpid(), 1);
    int64_t best = 0;
    for (int round = 0; round < 12 || (best < 3 && round < 60); round++) {
        int reports[2];
        assert_int_equal(pipe(reports), 0);
        pid_t child = fork();
        if (child == 0) {
            for (int k = (int)best + 1;; k++) {
                state_fill(&s, k);
                if (!save(&s, k) || !checkpoint_prune(top, 2, &error))
                    _exit(1);
                if (write(reports[1], &k, sizeof k) < 0)
                    _exit(1);
            }
        }
        close(reports[1]);
        usleep((useconds_t)rng_below(&r, 10000 * (1 + (uint64_t)round)));
        kill(child, SIGKILL);
        int status, reported = (int)best, k;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        while (read(reports[0], &k, sizeof k) == sizeof k)
            reported = k;
        close(reports[0]);
        char path[FILE_PATH_MAX];
        int64_t step, found;
        OK(checkpoint_clean(top, &error));
        OK(checkpoint_latest(top, path, &found, &error));
        assert_true(found == reported || found == reported + 1
                    || (found == -1 && reported == 0));
        if (found < 0)
            continue;
        struct State want;
        state_open(&want);
        state_fill(&want, (int)found);
        OK(load(&s, path, &step));
        assert_same(&s, &want);
        state_close(&want);
        best = found;
    }
    assert_true(best > 0);
    state_close(&s);
}

/* A file system that takes 3,000 more bytes a file: nothing half-written
 * stays, and the checkpoint before is untouched. */
static void disk_full_while_saving(void **state)
{
    (void)state;
    struct State a, b;
    state_open(&a);
    state_open(&b);
    state_fill(&a, 1);
    OK(save(&a, 1));
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = { 3000, 3000 };
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bool ok = save(&a, 2);
        _exit(ok || !strstr(error.text, "model.safetensors"));
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(count_entries(top), 1);
    int64_t step;
    OK(load(&b, in_top("step-000001"), &step));
    assert_same(&a, &b);
    state_close(&a);
    state_close(&b);
}

/* ---- checkpoints that lie ---- */

static void replace_text(const char *path, const char *was, const char *now)
{
    static char text[100000];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *at = memmem(text, n, was, strlen(was));
    if (!at)
        fail_msg("%s: no %s", path, was);
    f = fopen(path, "wb");
    fwrite(text, 1, (size_t)(at - text), f);
    fputs(now, f);
    at += strlen(was);
    fwrite(at, 1, n - (size_t)(at - text), f);
    fclose(f);
}

static const struct Lie {
    const char *name, *file, *was, *now, *says;
} lies[] = {
    { "step of another directory", "train.json", "\"step\": 7",
      "\"step\": 8", "says step 8" },
    { "step negative", "train.json", "\"step\": 7", "\"step\": -7",
      "whole number" },
    { "format of another program", "train.json", "training state 1",
      "training state 9", "'format' must be" },
    { "field missing", "train.json", "\"lr\"", "\"lx\"",
      "'lr' is missing" },
    { "field of another type", "train.json", "\"batch\": 3",
      "\"batch\": 0.5", "'batch' must be" },
    { "field too large", "train.json", "\"batch\": 3",
      "\"batch\": 2147483648", "31 bits" },
    { "json cut off", "train.json", "\"data\"", "\"data", "JSON" },
    { "moment missing", "optimizer.safetensors", "\"v.wte.weight\"",
      "\"v.wtf.weight\"", "'v.wte.weight' is missing" },
    { "moment of another shape", "optimizer.safetensors", "[13,6]",
      "[6,13]", "expected floats of shape [13,6]" },
    { "weight missing", "model.safetensors",
      "\"transformer.h.1.ln_1.bias\"", "\"transformer.h.1.ln_1.bjas\"",
      "'transformer.h.1.ln_1.bias' is missing" },
    { "weights of integers", "model.safetensors", "\"F32\",\"shape\":[13,6]",
      "\"I32\",\"shape\":[13,6]", "expected floats" },
};

static void lie(void **state)
{
    const struct Lie *l = *state;
    struct State a, before, after;
    int64_t step = 77;
    state_open(&a);
    state_open(&before);
    state_open(&after);
    state_fill(&a, 3);
    state_fill(&before, 4);
    state_fill(&after, 4);
    OK(save(&a, 7));
    char path[700];
    snprintf(path, sizeof path, "%s/%s", in_top("step-000007"), l->file);
    replace_text(path, l->was, l->now);
    REFUSED(load(&after, in_top("step-000007"), &step), l->says);
    assert_same(&after, &before);           /* nothing has changed */
    assert_int_equal(step, 77);
    state_close(&a);
    state_close(&before);
    state_close(&after);
}

static void files_are_missing(void **state)
{
    (void)state;
    static const char *const files[] = { "model.safetensors",
        "optimizer.safetensors", "train.json" };
    for (int i = 0; i < 3; i++) {
        struct State a;
        int64_t step;
        state_open(&a);
        state_fill(&a, 1);
        OK(save(&a, 1));
        char path[700];
        snprintf(path, sizeof path, "%s/%s", in_top("step-000001"),
                 files[i]);
        unlink(path);
        REFUSED(load(&a, in_top("step-000001"), &step), files[i]);
        state_close(&a);
    }
}

/* ---- weights files of others ---- */

/* A weights file of `small` with some tensors changed. */
struct Change {
    const char *name;
    const char *prefix;
    const char *drop, *add;             /* by name; add has rows, cols */
    size_t rows, cols;
    bool copy_wte;                      /* the added one is a copy of it */
    int heads;
    const char *config;                 /* config.json, or NULL */
    const char *says;                   /* NULL: accepted */
};

static const struct Change changes[] = {
    { "as transformers writes it", "transformer.", NULL, NULL, 0, 0, 0, 2,
      NULL, NULL },
    { "without prefix", "", NULL, NULL, 0, 0, 0, 2, NULL, NULL },
    { "with a mask", "", NULL, "h.0.attn.bias", 5, 5, 0, 2, NULL, NULL },
    { "with a fill value", "transformer.", NULL,
      "transformer.h.1.attn.masked_bias", 0, 1, 0, 2, NULL, NULL },
    { "with a mask of no layer", "", NULL, "h.2.attn.bias", 5, 5, 0, 2,
      NULL, "'h.2.attn.bias'" },
    { "with a mask of layer 2^32", "", NULL, "h.4294967296.attn.bias", 5, 5,
      0, 2, NULL, "'h.4294967296.attn.bias'" },
    { "with a mask of layer +1", "", NULL, "h.+1.attn.masked_bias", 0, 1, 0,
      2, NULL, "'h.+1.attn.masked_bias'" },
    { "with a mask of layer 01", "", NULL, "h.01.attn.bias", 5, 5, 0, 2,
      NULL, "'h.01.attn.bias'" },
    { "with a mask and more", "", NULL, "h.1.attn.bias.x", 5, 5, 0, 2,
      NULL, "'h.1.attn.bias.x'" },
    { "with a tied lm_head", "transformer.", NULL, "lm_head.weight", 13, 6,
      1, 2, NULL, NULL },
    { "with an untied lm_head", "transformer.", NULL, "lm_head.weight", 13,
      6, 0, 2, NULL, "is not wte.weight" },
    { "with an lm_head of another shape", "transformer.", NULL,
      "lm_head.weight", 13, 5, 0, 2, NULL, "is not wte.weight" },
    { "with one tensor more", "", NULL, "h.0.attn.extra", 2, 2, 0, 2, NULL,
      "'h.0.attn.extra'" },
    { "with a layer more", "", NULL, "h.2.ln_1.weight", 0, 6, 0, 2, NULL,
      "'h.2.ln_1.weight'" },
    { "with both prefixes", "transformer.", NULL, "ln_f.bias", 0, 6, 0, 2,
      NULL, "'ln_f.bias'" },
    { "without ln_f.bias", "", "ln_f.bias", NULL, 0, 0, 0, 2, NULL,
      "'ln_f.bias' is missing" },
    { "without wte", "", "wte.weight", NULL, 0, 0, 0, 2, NULL,
      "not the weights of a GPT-2" },
    { "with wpe of other channels", "", "wpe.weight", "wpe.weight", 5, 7,
      0, 2, NULL, "must agree" },
    { "with a bias of another length", "", "h.1.mlp.c_fc.bias",
      "h.1.mlp.c_fc.bias", 0, 25, 0, 2, NULL, "[24] = [24]" },
    { "with a linear layer's transpose", "", "h.0.mlp.c_fc.weight",
      "h.0.mlp.c_fc.weight", 24, 6, 0, 2, NULL, "[6,24]" },
    { "heads unknown", "", NULL, NULL, 0, 0, 0, 0, NULL, "--heads" },
    { "heads that do not divide", "", NULL, NULL, 0, 0, 0, 4, NULL,
      "do not divide" },
    { "heads of config.json", "", NULL, NULL, 0, 0, 0, 0,
      "{\"n_head\":3}", NULL },
    { "heads against config.json", "", NULL, NULL, 0, 0, 0, 2,
      "{\"n_head\":3}", "says 3 heads" },
    { "config.json of another size", "", NULL, NULL, 0, 0, 0, 0,
      "{\"n_head\":3,\"n_embd\":12}", "do not belong together" },
    { "config.json of more layers", "", NULL, NULL, 0, 0, 0, 0,
      "{\"n_head\":3,\"n_layer\":3}", "do not belong together" },
    { "config.json of a BERT", "", NULL, NULL, 0, 0, 0, 2,
      "{\"model_type\":\"bert\"}", "model_type is 'bert'" },
    { "config.json with relu", "", NULL, NULL, 0, 0, 0, 2,
      "{\"activation_function\":\"relu\"}", "gelu_new only" },
    { "config.json with another epsilon", "", NULL, NULL, 0, 0, 0, 2,
      "{\"layer_norm_epsilon\":1e-6}", "1e-5" },
    { "config.json with heads as text", "", NULL, NULL, 0, 0, 0, 2,
      "{\"n_head\":\"3\"}", "whole number" },
    { "config.json that is no JSON", "", NULL, NULL, 0, 0, 0, 2,
      "n_head = 3", "JSON" },
};

static void write_changed(const struct Change *c, const struct Model *m)
{
    static real junk[4096];
    struct StSource source[64];
    char name[64][80];
    int n = 0;
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        if (c->drop && strcmp(p->name, c->drop) == 0)
            continue;
        snprintf(name[n], 80, "%s%s", c->prefix, p->name);
        source[n] = (struct StSource){ .name = name[n], .rows = p->rows,
            .cols = p->cols, .data = m->w.base + p->offset };
        n++;
    }
    if (c->add)
        source[n++] = (struct StSource){ .name = c->add, .rows = c->rows,
            .cols = c->cols, .data = c->copy_wte ? m->w.wte : junk };
    OK(safetensors_write(in_top("w.safetensors"), source, n, &error));
    if (c->config) {
        FILE *f = fopen(in_top("config.json"), "wb");
        fputs(c->config, f);
        fclose(f);
    }
}

static void change(void **state)
{
    const struct Change *c = *state;
    struct State a, b;
    struct Config found = { 0 };
    state_open(&a);
    state_open(&b);
    state_fill(&a, 1);
    state_fill(&b, 2);
    write_changed(c, &a.m);
    bool ok = weights_config(&found, in_top("w.safetensors"), c->heads,
                             &error);
    if (ok) {
        assert_int_equal(found.V, 13);
        assert_int_equal(found.T, 5);
        assert_int_equal(found.C, 6);
        assert_int_equal(found.NH, c->heads ? c->heads : 3);
        ok = weights_load(&b.m, in_top("w.safetensors"), &error);
    }
    if (!c->says) {
        if (!ok)
            fail_msg("%s", error.text);
        assert_memory_equal(a.m.w.base, b.m.w.base,
                            a.m.table.total * sizeof(real));
    } else {
        if (ok || !strstr(error.text, c->says))
            fail_msg("accepted %d, says: %s", ok, error.text);
        state_fill(&a, 2);
        assert_memory_equal(a.m.w.base, b.m.w.base,
                            a.m.table.total * sizeof(real));
    }
    state_close(&a);
    state_close(&b);
}

#define ALONE(f) cmocka_unit_test_setup_teardown(f, make_top, drop_top)

int main(void)
{
    static struct CMUnitTest tests[100] = {
        ALONE(saved_is_loaded),
        ALONE(latest_goes_by_number),
        ALONE(prune_keeps_the_newest),
        ALONE(same_step_is_replaced),
        ALONE(leftovers_are_cleaned),
        ALONE(killed_while_saving),
        ALONE(disk_full_while_saving),
        ALONE(files_are_missing),
    };
    int n = (int)tests_written(tests);
    ROWS_WITH(lies, lie, make_top, drop_top)
    ROWS_WITH(changes, change, make_top, drop_top)
    return _cmocka_run_group_tests("checkpoint", tests, (size_t)n, NULL,
                                   NULL);
}
