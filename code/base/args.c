/* Tangled from chapters/workshop/ground-floor.nw, "The command line".  Edit it there. */

#include "base/args.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* find the nearest word */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    int row[MAX + 1], n = (int)strlen(b);
    if (n > MAX || strlen(a) > MAX)
        return MAX;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            int shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = change < shorter + 1 ? change : shorter + 1;
        }
    }
    return row[n];
}

const char *nearest_word(const char *word, const char *const *words)
{
    const char *best = NULL;
    int best_distance = (int)strlen(word) / 3 + 2;
    for (; *words; words++) {
        int d = edit_distance(word, *words);
        if (d < best_distance) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}

static const char *nearest_option(const char *name,
                                  const struct Option *options)
{
    const char *words[128];
    int n = 0;
    for (; options->type != OPT_END && n < 125; options++)
        words[n++] = options->name;
    words[n++] = "help";
    words[n++] = "version";
    words[n] = NULL;
    return nearest_word(name, words);
}

/* print the help text */
static void print_default(const struct Option *o)
{
    const char *text;
    switch (o->type) {
    case OPT_INT:
        printf(" [%d]", *(int *)o->target);
        break;
    case OPT_INT64:
        printf(" [%lld]", (long long)*(int64_t *)o->target);
        break;
    case OPT_DOUBLE:
        printf(" [%g]", *(double *)o->target);
        break;
    case OPT_STRING:
    case OPT_CHOICE:
        text = *(const char **)o->target;
        if (text && *text && !strchr(text, '\n'))
            printf(" [%s]", text);
        break;
    case OPT_FLAG:
    case OPT_END:
        break;
    }
}

_Noreturn static void print_help(const struct Option *options,
                                 const struct Usage *usage)
{
    printf("usage: %s %s\n\n%s\n\noptions:\n", program_name(),
           usage->synopsis, usage->summary);
    for (const struct Option *o = options; o->type != OPT_END; o++) {
        char left[80];
        snprintf(left, sizeof left, "--%s %s", o->name,
                 o->type == OPT_FLAG ? "" : o->arg);
        printf("  %-26s %s", left, o->help);
        print_default(o);
        putchar('\n');
    }
    printf("  %-26s %s\n  %-26s %s\n", "--help", "print this", "--version",
           "print the version");
    if (usage->more)
        printf("\n%s\n", usage->more);
    exit(0);
}

/* read one value */
static void check_range(const struct Option *o, double x, const char *text)
{
    if (o->min == 0 && o->max == 0)
        return;
    if (!(x >= o->min && x <= o->max))
        misuse("--%s %s: expected a number from %.15g to %.15g", o->name,
               text, o->min, o->max);
}

static long long read_integer(const struct Option *o, const char *text)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE)
        misuse("--%s %s: expected a whole number", o->name, text);
    check_range(o, (double)x, text);
    return x;
}

static double read_double(const struct Option *o, const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x))
        misuse("--%s %s: expected a finite number", o->name, text);
    check_range(o, x, text);
    return x;
}

static int read_int(const struct Option *o, const char *text)
{
    long long x = read_integer(o, text);
    if (x < -2147483647 || x > 2147483647)
        misuse("--%s %s: expected a whole number below 2^31", o->name,
               text);
    return (int)x;
}

/* read one of several words */
static const char *read_choice(const struct Option *o, const char *text)
{
    static char copy[256];
    const char *words[32];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", o->arg);
    for (char *w = strtok(copy, "|"); w && n < 31; w = strtok(NULL, "|")) {
        if (strcmp(w, text) == 0)
            return text;
        words[n++] = w;
    }
    words[n] = NULL;
    const char *near = nearest_word(text, words);
    misuse("--%s %s: expected %s%s%s%s", o->name, text, o->arg,
           near ? "; did you mean " : "", near ? near : "",
           near ? "?" : "");
}

static void read_value(const struct Option *o, const char *text)
{
    switch (o->type) {
    case OPT_INT:
        *(int *)o->target = read_int(o, text);
        break;
    case OPT_INT64:
        *(int64_t *)o->target = read_integer(o, text);
        break;
    case OPT_DOUBLE:
        *(double *)o->target = read_double(o, text);
        break;
    case OPT_STRING:
        if (!*text)
            misuse("--%s: expected %s, found an empty word", o->name,
                   o->arg);
        *(const char **)o->target = text;
        break;
    case OPT_CHOICE:
        *(const char **)o->target = read_choice(o, text);
        break;
    case OPT_FLAG:
    case OPT_END:
        break;
    }
}

/* walk over the arguments */
static const struct Option *find_option(const char *name, size_t length,
                                        const struct Option *options)
{
    for (; options->type != OPT_END; options++)
        if (strlen(options->name) == length
            && memcmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const struct Option *expect_option(const char *word,
                                          const struct Option *options,
                                          const struct Usage *usage)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    if (strcmp(name, "help") == 0)
        print_help(options, usage);
    if (strcmp(name, "version") == 0) {
        printf("%s %s\n", program_name(), PROGRAM_VERSION);
        exit(0);
    }
    const struct Option *o = find_option(name, length, options);
    if (o)
        return o;
    char typed[128];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *near = nearest_option(typed, options);
    if (near)
        misuse("unknown option --%s; did you mean --%s?", typed, near);
    misuse("unknown option --%s; --help lists the options", typed);
}

int args_parse(int argc, char **argv, const struct Option *options,
               const struct Usage *usage)
{
    int words = 0;
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        if (only_words || strncmp(argv[i], "-", 1) || !argv[i][1]) {
            argv[words++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_words = true;
        } else if (strncmp(argv[i], "--", 2)) {
            misuse("unknown option %s; options begin with two dashes, "
                   "--help lists them", argv[i]);
        } else {
            /* set the option in argv[i], whose value may be the next word */
            const struct Option *o = expect_option(argv[i], options, usage);
            const char *equals = strchr(argv[i], '=');
            if (o->given)
                *o->given = true;
            if (o->type == OPT_FLAG) {
                if (equals)
                    misuse("--%s takes no value", o->name);
                *(bool *)o->target = true;
            } else if (equals) {
                read_value(o, equals + 1);
            } else if (i + 1 < argc) {
                read_value(o, argv[++i]);
            } else {
                misuse("--%s: expected %s after it", o->name, o->arg);
            }
        }
    }
    return words;
}

void args_options(int argc, char **argv, const struct Option *options,
                  const struct Usage *usage)
{
    program_set_name(argv[0]);
    if (args_parse(argc, argv, options, usage) > 0)
        misuse("%s: every option begins with two dashes; --help lists them",
               argv[0]);
}
