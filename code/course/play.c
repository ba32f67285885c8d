/* Tangled from chapters/course/grader.nw, "Playing the cases".  Edit it there. */

#include "course/limit.h"
#include "course/verdict.h"

#include "base/rng.h"
#include "simt/sanitizer/check.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* a run */
enum { MOST_ARRAYS = 128, MOST_LINES = 4000 };

struct Run {
    const struct Attempt *attempt;
    const struct Device *device;
    struct Verdict *verdict;
    int n;
    bool counted, timed;
    struct Rng rng;
    struct Array array[MOST_ARRAYS];
    int arrays;
    void *kept[MOST_ARRAYS];    /* freed with the run                    */
    int n_kept;
    struct Totals totals;       /* of the counted launches               */
    struct Totals *line;        /* the same by line, [MOST_LINES]        */
    struct Cache *cache;
    struct Again again;         /* what was launched, to be timed        */
};
static struct Run *now;         /* for the callbacks                     */

int case_size(const struct Run *r) { return r->n; }
bool case_counted(const struct Run *r) { return r->counted; }
bool case_timed(const struct Run *r) { return r->timed; }

int case_random(struct Run *r, int low, int high)
{
    return low + (int)rng_below(&r->rng, (uint64_t)(high - low) + 1);
}

/* say what is wrong */
static bool failed(const struct Run *r) { return r->verdict->wrong[0]; }

static void wrong_list(struct Run *r, const char *format, va_list args)
{
    struct Verdict *v = r->verdict;
    if (!failed(r))
        vsnprintf(v->wrong, sizeof v->wrong, format, args);
}

static void wrong(struct Run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void wrong(struct Run *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wrong_list(r, format, args);
    va_end(args);
}

void expect(struct Run *r, bool holds, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!holds)
        wrong_list(r, format, args);
    va_end(args);
}

/* Memory of a run.  What an exercise asks for is small and fixed; if there
 * is none, the process ends and the verdict says so. */
static void *keep(struct Run *r, size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p || r->n_kept == MOST_ARRAYS)
        abort();
    return r->kept[r->n_kept++] = p;
}

float *wanted_floats(struct Run *r, size_t n)
{
    return keep(r, n * sizeof(float));
}
int *wanted_ints(struct Run *r, size_t n)
{
    return keep(r, n * sizeof(int));
}

/* make an array */
static size_t bytes_of(const struct Array *a)
{
    static const size_t element[] = {
        [ARRAY_FLOAT] = 4, [ARRAY_INT] = 4, [ARRAY_BF16] = 2,
        [ARRAY_BYTE] = 1,
    };
    return a->n * element[a->type];
}

static struct Array *array_new(struct Run *r, const char *name,
                               enum ArrayType type, size_t n, bool input)
{
    struct Error e;
    struct Array *a = &r->array[r->arrays];
    if (r->arrays++ == MOST_ARRAYS)
        abort();
    *a = (struct Array){ .name = name, .type = type, .n = n,
                         .input = input };
    a->bytes = keep(r, bytes_of(a));
    if (!r->device->alloc(&a->device, n ? bytes_of(a) : 1, &e))
        wrong(r, "%s", e.text);
    else
        check_label(a->device, name);
    return a;
}

void refill(struct Run *r, struct Array *a)
{
    struct Error e;
    if (failed(r))
        return;
    if (!r->device->store(a->device, a->bytes, bytes_of(a), &e))
        wrong(r, "%s", e.text);
    if (r->timed)
        again_send(&r->again, a, bytes_of(a));
}

struct Array *input_floats(struct Run *r, const char *name, size_t n,
                           float low, float high)
{
    struct Array *a = array_new(r, name, ARRAY_FLOAT, n, true);
    for (size_t i = 0; i < n; i++)
        a->f[i] = low + (high - low) * rng_uniform(&r->rng);
    refill(r, a);
    return a;
}

struct Array *input_ints(struct Run *r, const char *name, size_t n, int low,
                         int high)
{
    struct Array *a = array_new(r, name, ARRAY_INT, n, true);
    for (size_t i = 0; i < n; i++)
        a->i[i] = low + (int)rng_below(&r->rng, (uint64_t)(high - low));
    refill(r, a);
    return a;
}

struct Array *output_floats(struct Run *r, const char *name, size_t n)
{
    return array_new(r, name, ARRAY_FLOAT, n, false);
}
struct Array *output_ints(struct Run *r, const char *name, size_t n)
{
    return array_new(r, name, ARRAY_INT, n, false);
}

struct Array *input_array(struct Run *r, const char *name,
                          enum ArrayType type, size_t n)
{
    return array_new(r, name, type, n, true);
}
struct Array *output_array(struct Run *r, const char *name,
                           enum ArrayType type, size_t n)
{
    return array_new(r, name, type, n, false);
}

struct Array *in_place(struct Array *a)
{
    a->input = false;
    return a;
}

static struct Array *zeros(struct Run *r, const char *name,
                           enum ArrayType type, size_t n)
{
    struct Array *a = array_new(r, name, type, n, false);
    refill(r, a);
    return a;
}
struct Array *zero_floats(struct Run *r, const char *name, size_t n)
{
    return zeros(r, name, ARRAY_FLOAT, n);
}
struct Array *zero_ints(struct Run *r, const char *name, size_t n)
{
    return zeros(r, name, ARRAY_INT, n);
}

/* launch the reader's kernel */
static const void *kernel_of(struct Run *r, const char *name)
{
    char full[200];
    const char *space = r->attempt->space;
    snprintf(full, sizeof full, "%s%s%s", space ? space : "",
             space ? "::" : "", name);
    const void *kernel = r->device->kernel(full);
    if (!kernel)
        wrong(r, "the file has no kernel '%s'", full);
    return kernel;
}

static bool takes(struct Run *r, const void *kernel, const char *name,
                  const struct Argument *a, int n)
{
    int has = 0;
    while (r->device->parameter(kernel, has))
        has++;
    if (has != n)
        wrong(r, "kernel '%s' has %d parameters; the exercise gives it %d",
              name, has, n);
    for (int i = 0; !failed(r) && i < n; i++) {
        size_t bytes = r->device->parameter(kernel, i);
        if (bytes != a[i].bytes)
            wrong(r, "parameter %d of kernel '%s' has %zu bytes; the "
                  "exercise gives it %s, of %zu", i + 1, name, bytes,
                  a[i].what, a[i].bytes);
    }
    return !failed(r);
}

/* "int (int)rows" -> "rows"; NULL: not the name of a variable. */
static const char *integer_named(const char *what)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *name = strstr(what, "->");
    if (strncmp(what, "int ", 4) != 0)
        return NULL;
    name = name ? name + 2 : what + 4;
    name += strncmp(name, "(int)", 5) == 0 ? 5 : 0;
    return name[strspn(name, letters)] ? NULL : name;
}

static void note_sizes(struct Verdict *v, const struct Argument *a, int n)
{
    size_t at = 0;
    if (v->with[0])
        return;
    for (int i = 0; i < n; i++) {
        const char *name = integer_named(a[i].what);
        if (name && at < sizeof v->with)
            at += (size_t)snprintf(v->with + at, sizeof v->with - at,
                                   "%s%s = %d", at ? ", " : "", name,
                                   a[i].i);
    }
}

struct Shape blocks_for(size_t n, int threads)
{
    uint32_t t = (uint32_t)threads;
    return (struct Shape){ { (uint32_t)((n + t - 1) / t), 1, 1 },
                           { t, 1, 1 }, 0 };
}

void launch(struct Run *r, const char *name, struct Shape s,
            const struct Argument *a, int n)
{
    const void *k = failed(r) ? NULL : kernel_of(r, name);
    void *args[MOST_ARRAYS];
    struct Error e;
    if (!k || !takes(r, k, name, a, n))
        return;
    for (int i = 0; i < n; i++)
        args[i] = (void *)(uintptr_t)&a[i].pointer;
    note_sizes(r->verdict, a, n);
    if (!r->device->launch(k, s, args, &e))
        wrong(r, "%s", e.text);
    if (r->timed)
        again_launch(&r->again, k, s, a, n);
}

/* compare with what is wanted */
static bool close_to(float got, float want, double relative,
                     double absolute)
{
    if (isnan(want))
        return isnan(got);
    double d = fabs((double)got - (double)want);
    return got == want ||
           d <= fmax(absolute, relative * fabs((double)want));
}

/* Copy the result to the host's half.  False: not all of it was written. */
static bool take_back(struct Run *r, struct Array *a)
{
    int before = r->verdict->problems;
    struct Error e;
    if (failed(r))
        return false;
    if (!r->device->fetch(a->bytes, a->device, bytes_of(a), &e))
        wrong(r, "%s", e.text);
    if (r->verdict->problems > before)
        wrong(r, "not every element of %s was written", a->name);
    return !failed(r);
}

/* What is wanted of an array's elements, and how exactly. */
struct Wanted {
    const void *elements;       /* of the array's type                   */
    bool exact;                 /* the same bits, else floats:           */
    double relative, absolute;
};

static bool element_right(const struct Array *a, const struct Wanted *w,
                          size_t i)
{
    size_t size = bytes_of(a) / a->n;
    if (w->exact)
        return memcmp((const char *)a->bytes + i * size,
                      (const char *)w->elements + i * size, size) == 0;
    return close_to(a->f[i], ((const float *)w->elements)[i], w->relative,
                    w->absolute);
}

static void element_text(char to[24], enum ArrayType type,
                         const void *elements, size_t i)
{
    const uint16_t *h = elements;
    const uint8_t *b = elements;
    float x = 0;
    if (type == ARRAY_INT)
        snprintf(to, 24, "%d", ((const int *)elements)[i]);
    else if (type == ARRAY_FLOAT && isnan(((const float *)elements)[i]))
        snprintf(to, 24, "nan");     /* its sign says nothing */
    else if (type == ARRAY_FLOAT)
        snprintf(to, 24, "%.9g", (double)((const float *)elements)[i]);
    else if (type == ARRAY_BF16) {
        memcpy(&x, &(uint32_t){ (uint32_t)h[i] << 16 }, sizeof x);
        snprintf(to, 24, "%.4g (0x%04x)", (double)x, h[i]);
    } else
        snprintf(to, 24, "0x%02x", b[i]);
}

static void expect_elements(struct Run *r, struct Array *a,
                            const struct Wanted *w)
{
    size_t bad = 0, first = 0;
    char got[24], wanted[24];
    if (!take_back(r, a))
        return;
    for (size_t i = a->n; i-- > 0;)
        if (!element_right(a, w, i)) {
            bad++;
            first = i;
        }
    if (!bad)
        return;
    element_text(got, a->type, a->bytes, first);
    element_text(wanted, a->type, w->elements, first);
    wrong(r, "%s[%zu] is %s, expected %s; %zu of %zu elements are wrong",
          a->name, first, got, wanted, bad, a->n);
}

void expect_floats(struct Run *r, struct Array *a, const float *wanted,
                   double relative, double absolute)
{
    expect_elements(r, a, &(struct Wanted){ wanted, false, relative,
                                            absolute });
}

void expect_ints(struct Run *r, struct Array *a, const int *wanted)
{
    expect_bits(r, a, wanted);
}

void expect_bits(struct Run *r, struct Array *a, const void *wanted)
{
    expect_elements(r, a, &(struct Wanted){ wanted, .exact = true });
}

static void expect_inputs_unchanged(struct Run *r)
{
    struct Error e;
    for (int i = 0; !failed(r) && i < r->arrays; i++) {
        const struct Array *a = &r->array[i];
        void *found = a->input ? calloc(bytes_of(a) + 1, 1) : NULL;
        if (a->input && !found)
            abort();
        if (found && !r->device->fetch(found, a->device, bytes_of(a), &e))
            wrong(r, "%s", e.text);
        if (found && memcmp(a->bytes, found, bytes_of(a)) != 0)
            wrong(r, "the input %s was changed", a->name);
        free(found);
    }
}

/* count, line by line */
static bool of_reader(const char *path)
{
    return !strstr(path, "/include/");
}

static void add_totals(struct Totals *to, const struct Totals *t)
{
    uint64_t *a = (uint64_t *)(void *)to;
    for (int i = 0; i < METRIC_COUNT; i++)
        a[i] += metric_value(t, i);
}

static void count_launch(const struct Launch *l)
{
    const struct Kernel *k = l->kernel;
    if (!now->counted)
        return;
    for (int i = 0; i < k->instructions; i++) {
        const struct Instruction *at = &k->code[i];
        struct Totals t = { 0 };
        totals_add(&t, &l->site[i], at->work, at->flop);
        add_totals(&now->totals, &t);
        if (at->line > 0 && at->line < MOST_LINES && at->file >= 0 &&
            at->file < k->n_files && of_reader(k->files[at->file]))
            add_totals(&now->line[at->line], &t);
    }
    now->totals.smem_static += k->static_shared;
    if (l->touched) {
        struct Totals t = { 0 };
        touched_count(l->touched, &t.unique_read, &t.unique_written);
        add_totals(&now->totals, &t);
    }
}

/* "gld_sec+gst_sec" of these totals; a name that is none ends the run. */
static double sum_of(const struct Totals *t, const char *metric)
{
    double sum = 0;
    while (*metric) {
        size_t n = strcspn(metric, "+");
        int i = 0;
        while (i < METRIC_COUNT && (strlen(metric_table[i].name) != n ||
               strncmp(metric_table[i].name, metric, n) != 0))
            i++;
        if (i == METRIC_COUNT)
            abort();
        sum += (double)metric_value(t, i);
        metric += n + (metric[n] == '+');
    }
    return sum;
}

/* One line of the source has so many; the two most costly are named. */
static void count_line(struct Count *c, int line, double of_line)
{
    struct Share new = { line, of_line }, *s = c->share;
    if (of_line > s[0].of_line) {
        s[1] = s[0];
        s[0] = new;
    } else if (of_line > s[1].of_line)
        s[1] = new;
}

static void add_count(struct Run *r, const char *what,
                      const struct Count *c)
{
    struct Verdict *v = r->verdict;
    if (v->counts == MOST_COUNTS)
        abort();
    struct Count *to = &v->count[v->counts++];
    *to = *c;
    snprintf(to->what, sizeof to->what, "%s", what);
}

void budget(struct Run *r, const char *what, const char *metric,
            double at_most, double book)
{
    if (!r->counted || failed(r))
        return;
    struct Count c = { .yours = sum_of(&r->totals, metric),
                       .at_most = at_most, .book = book,
                       .by_compiler = strstr(metric, "inst") };
    for (int i = 1; i < MOST_LINES; i++)
        count_line(&c, i, sum_of(&r->line[i], metric));
    add_count(r, what, &c);
}

/* count the lines that a cache fetches */
enum { LINE_BYTES = 64, WAYS = 8, SETS = 32 * 1024 / LINE_BYTES / WAYS };

struct Cache {
    uint64_t now, fetched;
    uint64_t by_line[MOST_LINES];       /* of the reader's source        */
    struct Way { uint64_t line, used; } set[SETS][WAYS];
};

/* True if the line was not there; it is now. */
static bool cache_fetches(struct Cache *c, uint64_t line)
{
    struct Way *set = c->set[line % SETS], *oldest = set;
    c->now++;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].used && set[i].line == line) {
            set[i].used = c->now;
            return false;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct Way){ line, c->now };
    return true;
}

static void cache_access(const struct Warp *w, const struct Access *a)
{
    const uint64_t local = (uint64_t)1 << 60;
    if (!now->counted || !now->cache ||
        (a->space != SPACE_GLOBAL && a->space != SPACE_LOCAL))
        return;
    const struct Instruction *i = &w->block->launch->kernel->code[w->pc];
    uint64_t first = a->address[__builtin_ctz(a->lanes)];
    first += a->space == SPACE_LOCAL ? local : 0;
    uint64_t last = first + (uint64_t)a->size - 1;
    for (uint64_t x = first / LINE_BYTES; x <= last / LINE_BYTES; x++)
        if (cache_fetches(now->cache, x)) {
            now->cache->fetched++;
            if (i->line > 0 && i->line < MOST_LINES)
                now->cache->by_line[i->line]++;
        }
}

void budget_lines(struct Run *r, double at_most, double book)
{
    if (!r->counted || failed(r))
        return;
    struct Count c = { .yours = (double)r->cache->fetched,
                       .at_most = at_most, .book = book };
    for (int i = 1; i < MOST_LINES; i++)
        count_line(&c, i, (double)r->cache->by_line[i]);
    add_count(r, "cache lines fetched", &c);
}

/* play one case */
static bool one_kind(const char *a, const char *b)
{
    enum { END = 30 };
    const char *colon = strstr(a, ": ");
    colon = colon ? strstr(colon + 2, ": ") : NULL;
    size_t begin = colon ? (size_t)(colon - a) : 0;
    size_t n = strlen(a), m = strlen(b);
    return begin && n > END && m > END && strncmp(a, b, begin) == 0 &&
           strcmp(a + n - END, b + m - END) == 0;
}

static void note_problem(const char *text)
{
    struct Verdict *v = now->verdict;
    v->problems++;
    for (int i = 0; i < v->shown; i++)
        if (one_kind(v->problem[i], text))
            return;
    if (v->shown < MOST_PROBLEMS)
        snprintf(v->problem[v->shown++], sizeof *v->problem, "%s", text);
}

/* play a case */

static void time_run(struct Run *r)
{
    struct Error e;
    for (int i = 0; i < r->arrays; i++)
        again_moves(&r->again, &r->array[i], bytes_of(&r->array[i]));
    if (!failed(r) &&
        !r->device->time(&r->verdict->timing, &r->again, &e))
        wrong(r, "%s", e.text);
    again_free(&r->again);
}

static void play(struct Run *r)
{
    const struct Attempt *a = r->attempt;
    struct Error e;
    r->verdict->n = r->n;
    r->verdict->with[0] = 0;
    r->verdict->cases++;
    if (!r->device->load(a->image, a->bytes, &e)) {
        wrong(r, "%s", e.text);
        return;
    }
    simt_options.count = r->counted;
    a->exercise->run(r);
    expect_inputs_unchanged(r);
    if (r->timed)
        time_run(r);
    for (int i = 0; i < r->arrays; i++)
        r->device->release(r->array[i].device);
    while (r->n_kept)
        free(r->kept[--r->n_kept]);
    r->device->unload();
    r->verdict->right += !failed(r) && !r->verdict->problems;
}

/* play all cases in a process with limits */
enum { MOST_CASES = 13 };

/* The sizes of the cases -> how many there are. */
static int sizes_of(int n[MOST_CASES], const struct Attempt *a)
{
    const struct Exercise *x = a->exercise;
    struct Rng sizes = rng_new(a->seed, 0);
    int cases = 0;
    for (int i = 0; i < 2 && !a->timed_only; i++)
        n[cases++] = 1 + (int)rng_below(&sizes, (uint64_t)x->largest);
    for (int i = 0; i < 10 && x->size[i] && !a->timed_only; i++)
        n[cases++] = x->size[i];
    if (x->large && a->device->time)
        n[cases++] = x->large;
    return cases;
}

static void prepare(struct Run *r)
{
    check_configure("memory,init,race,sync", NULL);
    check_reports_to(note_problem);
    launch_ended = count_launch;
    simt_options.access = cache_access;
    now = r;
}

static void play_all(const struct Attempt *a, struct Verdict *v)
{
    static struct Run r;
    struct Error e;
    int n[MOST_CASES], cases = sizes_of(n, a);
    prepare(&r);
    if (!a->device->open(&e))
        snprintf(v->wrong, sizeof v->wrong, "%.600s", e.text);
    for (int i = 0; i < cases && !v->wrong[0] && !v->problems; i++) {
        bool last = i == cases - 1, clock = a->device->time != NULL;
        r = (struct Run){ .attempt = a, .device = a->device, .verdict = v,
                          .n = n[i], .counted = last && !clock,
                          .timed = last && clock && a->exercise->large,
                          .rng = rng_new(a->seed, (uint64_t)i + 1) };
        r.line = calloc(MOST_LINES, sizeof *r.line);
        r.cache = calloc(1, sizeof *r.cache);
        if (!r.line || !r.cache)
            abort();
        play(&r);
        free(r.line);
        free(r.cache);
    }
    v->done = true;
}

enum { MOST_SECONDS = 20, MOST_WAITED = 60, MOST_PRINTED = 1 << 20 };

static void child(const struct Attempt *a, FILE *out, struct Verdict *v)
{
    if (dup2(fileno(out), STDOUT_FILENO) < 0 ||
        dup2(fileno(out), STDERR_FILENO) < 0 ||
        !limit(RLIMIT_CPU, MOST_SECONDS) ||
        !limit(RLIMIT_FSIZE, MOST_PRINTED) || !limit(RLIMIT_CORE, 0))
        _exit(1);
    signal(SIGXFSZ, SIG_IGN);
    if (a->device->time)
        alarm(MOST_WAITED);
    simt_options.step_limit = 4 * 1000 * 1000;
    play_all(a, v);
    fflush(stdout);
    _exit(0);
}

void grade_attempt(const struct Attempt *a, FILE *out, struct Verdict *to)
{
    struct Verdict *v = mmap(NULL, sizeof *v, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    *to = (struct Verdict){ 0 };
    if (v == MAP_FAILED) {
        snprintf(to->ended, sizeof to->ended, "no memory for a verdict");
        return;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(a, out, v);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *to = *v;
    munmap(v, sizeof *v);
    if (pid < 0)
        snprintf(to->ended, sizeof to->ended, "no process can be started");
    else if (WIFSIGNALED(status) &&
             (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        snprintf(to->ended, sizeof to->ended, "it took more than %d s of "
                 "the processor", MOST_SECONDS);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(to->ended, sizeof to->ended, "it did not end in %d s",
                 MOST_WAITED);
    else if (!to->done)
        snprintf(to->ended, sizeof to->ended, "the software GPU stopped "
                 "(%s)", WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                             : "it ended by itself");
}
