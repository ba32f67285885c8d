/* The ground floor: each row names the mistake it would catch. */
#include "base/args.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "named.h"
#include "scratch.h"

/* ---- children ---- */

/* Runs child with its standard error in text; its status. */
static int run_child(void (*child)(void), char *text, size_t size)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], 2);
        signal(SIGBUS, SIG_DFL);        /* the test library has one */
        child();
        _exit(0);
    }
    close(pipes[1]);
    size_t n = 0;
    for (ssize_t k; (k = read(pipes[0], text + n, size - 1 - n)) > 0;)
        n += (size_t)k;
    text[n] = 0;
    close(pipes[0]);
    waitpid(pid, &status, 0);
    return status;
}

/* ---- text for a terminal ---- */

struct Escape { const char *name, *text, *shown; };
static const struct Escape escapes[] = {
    { "plain", "tensor 'h.0'", "tensor 'h.0'" },
    { "other scripts", "\xe8\xae\xb0 \xc3\xa9 \xf0\x9f\x98\x80",
      "\xe8\xae\xb0 \xc3\xa9 \xf0\x9f\x98\x80" },
    { "a title", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07" },
    { "first and last below a space", "\x01\x1f ", "\\x01\\x1f " },
    { "line ends", "a\r\nb\tc", "a\\x0d\\x0ab\\x09c" },
    { "delete", "~\x7f", "~\\x7f" },
    { "C1 as UTF-8", "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0",
      "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0" },
    { "C1 as bytes", "\x9b" "2J", "\\x9b" "2J" },
    { "half a character", "a\xe2\x82", "a\\xe2\\x82" },
    { "a long form of ESC", "\xc0\x9b", "\\xc0\\x9b" },
};

static void escape(void **state)
{
    const struct Escape *row = *state;
    struct Error e;
    char out[100], *printed;
    size_t n = strlen(row->text), size;
    escape_text(out, sizeof out, row->text, n, "");
    assert_string_equal(out, row->shown);
    FILE *f = open_memstream(&printed, &size);
    print_escaped(f, row->text, n, "");
    fclose(f);
    assert_string_equal(printed, row->shown);
    free(printed);
    assert_false(error_set(&e, "%s", row->text));
    assert_string_equal(e.text, row->shown);
    assert_false(error_set(&e, "file: %.*s!", (int)n, row->text));
    assert_memory_equal(e.text + 6, row->shown, strlen(row->shown));
}

/* Once escaped, a message may go through another one. */
static void escape_twice_is_escape_once(void **state)
{
    (void)state;
    struct Error e, twice;
    error_set(&e, "%s", "\x1b[31mRED");
    error_set(&twice, "%s", e.text);
    assert_string_equal(e.text, twice.text);
}

static void escape_cuts_between_characters(void **state)
{
    (void)state;
    char out[9];
    escape_text(out, sizeof out, "abcde\x1b", 6, "");
    assert_string_equal(out, "abcde");
    escape_text(out, sizeof out, "abcd\x1b", 5, "");
    assert_string_equal(out, "abcd\\x1b");
    escape_text(out, sizeof out, "abcdefg\xc3\xa9", 9, "");
    assert_string_equal(out, "abcdefg");
}

/* What fail says about a name from a file, and with which status it ends. */
static void fail_with_a_name(void)
{
    program_set_name("bin/program");
    (fail)("tensor '%s' of %d", "\x1b[2J\n", 7);
}

static void fail_escapes(void **state)
{
    (void)state;
    char text[200];
    int status = run_child(fail_with_a_name, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_string_equal(text, "program: tensor '\\x1b[2J\\x0a' of 7\n");
}

static void show_text_spares_a_terminal_only(void **state)
{
    (void)state;
    static const char text[] = "a\tb\x1b[2J\xc2\x9b!";
    char got[100], *printed;
    size_t size;
    FILE *f = open_memstream(&printed, &size);
    show_text(f, text, sizeof text - 1);
    fclose(f);
    assert_int_equal(size, sizeof text - 1);
    assert_memory_equal(printed, text, size);
    free(printed);

    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0
                && unlockpt(terminal) == 0);
    f = fopen(ptsname(terminal), "w");
    assert_non_null(f);
    show_text(f, text, sizeof text - 1);
    fflush(f);
    ssize_t n = read(terminal, got, sizeof got - 1);
    got[n > 0 ? n : 0] = 0;
    fclose(f);
    close(terminal);
    char *tab = strstr(got, "b\\x1b[2J\\xc2\\x9b!");
    if (got[0] != 'a' || !tab || strchr(got, 0x1b))
        fail_msg("a terminal was given %s", got);
}

/* ---- random numbers ---- */

/* The vectors published with Random123 (kat_vectors, philox4x32 10). */
static void philox_known_answers(void **state)
{
    (void)state;
    static const struct { uint32_t c[4], k[2], out[4]; } rows[] = {
        { { 0, 0, 0, 0 }, { 0, 0 },
          { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[4];
        philox(out, rows[i].c, rows[i].k);
        assert_memory_equal(out, rows[i].out, sizeof out);
    }
}

static void rng_streams_differ(void **state)
{
    (void)state;
    struct Rng a = rng_new(1, 0), b = rng_new(1, 1), c = rng_new(2, 0);
    uint64_t x = rng_u64(&a);
    assert_true(x != rng_u64(&b));
    assert_true(x != rng_u64(&c));
    a = rng_new(1, 0);
    assert_true(x == rng_u64(&a));
}

static void rng_normal_has_its_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct Rng r = rng_new(42, 7);
    double sum = 0, square = 0, fourth = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r);
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
    }
    /* standard errors at N: 0.0022, 0.0032, 0.022; allow five */
    assert_true(fabs(sum / N) < 0.011);
    assert_true(fabs(square / N - 1) < 0.016);
    assert_true(fabs(fourth / N - 3) < 0.11);
}

static void rng_uniform_stays_below_one(void **state)
{
    (void)state;
    struct Rng r = { .seed = 3 };
    for (int i = 0; i < 4; i++)
        r.word[i] = ~0u;
    r.left = 4;
    assert_true(rng_uniform(&r) < 1.0f);
    assert_true(isfinite(rng_normal(&r)));
    r.word[3] = 0;
    assert_true(rng_uniform(&r) >= 0.0f);
}

static void rng_below_is_even(void **state)
{
    (void)state;
    struct Rng r = rng_new(9, 0);
    int count[3] = { 0 };
    for (int i = 0; i < 30000; i++)
        count[rng_below(&r, 3)]++;
    for (int i = 0; i < 3; i++)
        assert_true(abs(count[i] - 10000) < 500);
    assert_int_equal(rng_below(&r, 1), 0);
}

/* ---- files ---- */

static char *in_tmp(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void writer_commits_whole_files(void **state)
{
    (void)state;
    struct Writer w;
    struct Error e;
    struct Mapped m;
    char *path = in_tmp("whole");
    assert_true(writer_open(&w, path, &e));
    assert_true(writer_write(&w, "abc", 3));
    assert_false(map_file(&m, path, &e));       /* not there yet */
    assert_true(writer_commit(&w, &e));
    assert_int_not_equal(access(w.temporary, F_OK), 0);
    assert_true(map_file(&m, path, &e));
    assert_int_equal(m.size, 3);
    assert_memory_equal(m.data, "abc", 3);
    unmap_file(&m);

    assert_true(writer_open(&w, path, &e));     /* given up: old one stays */
    writer_write(&w, "x", 1);
    writer_abort(&w);
    assert_true(map_file(&m, path, &e));
    assert_int_equal(m.size, 3);
    unmap_file(&m);
    unlink(path);
}

static void writer_reports_a_full_disk(void **state)
{
    (void)state;
    struct Writer w;
    struct Error e;
    char *path = in_tmp("full");
    assert_true(writer_open(&w, path, &e));
    fclose(w.file);
    w.file = fopen("/dev/full", "wb");
    assert_non_null(w.file);
    writer_write(&w, "abc", 3);
    assert_false(writer_commit(&w, &e));
    assert_non_null(strstr(e.text, "No space left"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(w.temporary, F_OK), 0);
}

static void map_refuses_what_is_no_file(void **state)
{
    (void)state;
    struct Mapped m;
    struct Error e;
    assert_false(map_file(&m, "/nowhere/at all", &e));
    assert_non_null(strstr(e.text, "/nowhere/at all"));
    assert_false(map_file(&m, "/tmp", &e));
    assert_non_null(strstr(e.text, "regular file"));
}

static char *three_pages(const char *name)
{
    char *path = in_tmp(name);
    FILE *f = fopen(path, "wb");
    for (int i = 0; f && i < 3 * 4096; i++)
        putc('x', f);
    assert_int_equal(f ? fclose(f) : -1, 0);
    return path;
}

/* Another file has been mapped and unmapped, one is still there. */
static void read_a_cut_file(void)
{
    struct Mapped gone, other, cut;
    if (!map_file(&gone, three_pages("gone"), NULL)
        || !map_file(&other, three_pages("other"), NULL))
        _exit(5);
    unmap_file(&gone);
    if (!map_file(&cut, three_pages("cut"), NULL)
        || truncate(in_tmp("cut"), 4096) != 0)
        _exit(6);
    if (other.data[2 * 4096] != 'x' || cut.data[4095] != 'x')
        _exit(7);
    _exit(cut.data[2 * 4096] == 'x' ? 8 : 9);
}

static void cut_file_is_named(void **state)
{
    (void)state;
    char text[2000];
    int status = run_child(read_a_cut_file, text, sizeof text);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
        fail_msg("status %x: %s", (unsigned)status, text);
    if (!strstr(text, "/cut: was cut short") || strchr(text, '\n')[1])
        fail_msg("says %s", text);
}

/* A fault that has nothing to do with a mapped file stays what it was, also
 * at an address where one has been. */
static void fault_elsewhere(void)
{
    struct Mapped m;
    if (!map_file(&m, three_pages("mapped"), NULL))
        _exit(5);
    void *at = (void *)m.data;
    unmap_file(&m);
    int fd = open(three_pages("elsewhere"), O_RDWR);
    const char *p = mmap(at, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                         fd, 0);
    if (p == MAP_FAILED || ftruncate(fd, 0) != 0)
        _exit(6);
    _exit(p[4096]);
}

static void send_signal(void)
{
    struct Mapped m;
    if (!map_file(&m, three_pages("mapped"), NULL))
        _exit(5);
    raise(SIGBUS);
}

static void other_faults_end_as_before(void **state)
{
    (void)state;
    void (*const child[])(void) = { fault_elsewhere, send_signal };
    for (int i = 0; i < 2; i++) {
        static char text[100000];
        int status = run_child(child[i], text, sizeof text);
        bool sanitizer = strstr(text, "Sanitizer") != NULL;
        if (!sanitizer && !(WIFSIGNALED(status)
                            && WTERMSIG(status) == SIGBUS))
            fail_msg("%d: status %x: %s", i, (unsigned)status, text);
        assert_null(strstr(text, "cut short"));
    }
}

static void lock_dir_excludes_a_second_process(void **state)
{
    (void)state;
    struct Error e;
    char *locked = in_tmp("lock");
    assert_true(make_dirs(locked, &e));
    assert_true(lock_dir(locked, &e));
    pid_t child = fork();
    if (child == 0)
        _exit(lock_dir(locked, &e) ? 1 : 0);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    char name[300];
    snprintf(name, sizeof name, "%s/lock", locked);
    unlink(name);
    rmdir(locked);
}

/* ---- JSON ---- */

static void json_reads_every_kind(void **state)
{
    (void)state;
    static const char text[] = " {\"a\": [1, -2.5e1, true, false, null],"
        "\"s\\u00e9\\ud83d\\ude00\": \"x\\n\\\"\\u0000y\", "
        "\"big\": 18446744073709551615, \"o\": {}} ";
    struct JsonDocument d;
    struct Error e = { "" };
    if (!json_parse(&d, "text", text, sizeof text - 1, &e))
        fail_msg("%s", e.text);
    const struct Json *a = json_get(d.root, "a");
    assert_int_equal(a->children, 5);
    assert_true(a->first->is_count && a->first->count == 1);
    assert_true(a->first->next->number == -25.0);
    assert_false(a->first->next->is_count);
    const struct Json *s = json_get(d.root, "s\xc3\xa9\xf0\x9f\x98\x80");
    assert_non_null(s);
    assert_int_equal(s->length, 5);
    assert_memory_equal(s->string, "x\n\"\0y", 5);
    assert_true(json_get(d.root, "big")->count == UINT64_MAX);
    assert_null(json_get(d.root, "none"));
    json_free(&d);
}

/* The first and the last of each length of UTF-8, as they are and escaped;
 * every digit. */
static void json_reads_every_length(void **state)
{
    (void)state;
    static const char text[] = "[\"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf"
        "\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\", "
        "\"\\u007F\\u0080\\u07ff\\u0800\\uD7FF\\ue000\\uFFFF"
        "\\ud800\\udc00\\uDBFF\\uDFFF\", "
        "\"\\u0123\\u4567\\u89ab\\ucdef\\uABCD\\uEF00\", "
        "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"]";
    struct JsonDocument d;
    struct Error e = { "" };
    if (!json_parse(&d, "text", text, sizeof text - 1, &e))
        fail_msg("%s", e.text);
    const struct Json *raw = d.root->first, *escaped = raw->next;
    assert_int_equal(raw->length, 25);
    assert_memory_equal(raw->string, text + 2, 25);
    assert_int_equal(escaped->length, 25);
    assert_memory_equal(escaped->string, text + 2, 25);
    assert_string_equal(escaped->next->string, "\xc4\xa3\xe4\x95\xa7"
        "\xe8\xa6\xab\xec\xb7\xaf\xea\xaf\x8d\xee\xbc\x80");
    assert_string_equal(escaped->next->next->string, "\b\f\n\r\t/\\\"");
    json_free(&d);
}

struct BadJson { const char *text, *says; };
static const struct BadJson bad_json[] = {
    { "", "expected" },
    { "{", "expected a string" },
    { "[1,]", "expected" },
    { "[1 2]", "comma" },
    { "{\"a\" 1}", "colon" },
    { "{\"a\":1,\"b\":2,\"a\":3}", "twice" },
    { "{\"a\":1,\"\\u0061\":3}", "twice" },
    { "[01]", "comma" },
    { "[1.]", "digit" },
    { "[-]", "digit" },
    { "[1e]", "digit" },
    { "[NaN]", "expected" },
    { "[1e999]", "range" },
    { "\"abc", "ends inside" },
    { "\"a\nb\"", "control" },
    { "\"\\x\"", "escape" },
    { "\"\\u12g4\"", "hexadecimal" },
    { "\"\\ud800\"", "surrogate" },
    { "\"\\ude00\"", "surrogate" },
    { "\"\\ud800\\u0041\"", "surrogate" },
    { "\"\xc0\x80\"", "UTF-8" },
    { "\"\xed\xa0\x80\"", "UTF-8" },
    { "\"\xe2\x82\"", "UTF-8" },
    { "\"\xf4\x90\x80\x80\"", "UTF-8" },
    { "\"\xf0\x8f\xbf\xbf\"", "UTF-8" },
    { "\"\xe0\x9f\xbf\"", "UTF-8" },
    { "\"\xc1\xbf\"", "UTF-8" },
    { "\"\xf5\x80\x80\x80\"", "UTF-8" },
    { "\"\xe2\x82\xc0\"", "UTF-8" },
    { "{} {}", "after the end" },
    { "tru", "expected a value" },
    { "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
      "deep" },
};

static void json_refuses(void **state)
{
    const struct BadJson *row = *state;
    struct JsonDocument d;
    struct Error e = { "" };
    size_t n = strlen(row->text);
    char *exact = malloc(n + 1);        /* no terminating 0 to lean on */
    memcpy(exact, row->text, n);
    if (json_parse(&d, "text", exact, n, &e))
        fail_msg("%s was accepted", row->text);
    if (!strstr(e.text, row->says) || !strstr(e.text, "byte"))
        fail_msg("%s: says \"%s\"", row->text, e.text);
    free(exact);
}

/* Every prefix of a good text is a bad text. */
static void json_refuses_every_prefix(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\": [1, -2.5e1, true, null], \"b\\ud83d\\ude00\": \"\xe2\x82\xac\"}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct JsonDocument d;
        struct Error e;
        char *exact = malloc(n + 1);
        memcpy(exact, text, n);
        assert_false(json_parse(&d, "text", exact, n, &e));
        free(exact);
    }
}

/* Values, at most, in a text of `bytes` bytes, `width` of them for each. */
static char *dense_json(size_t bytes, size_t width)
{
    char *text = malloc(bytes);
    memset(text, ' ', bytes);
    text[0] = '[';
    for (size_t i = 1; i + 2 < bytes; i += width) {
        text[i] = '0';
        text[i + 1] = i + width + 2 < bytes ? ',' : ' ';
    }
    text[bytes - 1] = ']';
    return text;
}

/* A value for 2 bytes of text, as a file has that is to fill the memory. */
static void json_refuses_too_many_values(void **state)
{
    (void)state;
    struct JsonDocument d;
    struct Error e = { "" };
    char *text = dense_json(1000000, 2);
    assert_false(json_parse(&d, "text", text, 1000000, &e));
    if (!strstr(e.text, "500000 values in 1000000 bytes"))
        fail_msg("%s", e.text);
    free(text);
    text = dense_json(8200, 2);         /* 1 and 4099; 3074 are allowed */
    assert_false(json_parse(&d, "text", text, 8200, &e));
    assert_true(json_parse(&d, "text", "[1,2,3,4,5,6,7,8]", 17, &e));
    assert_int_equal(d.root->children, 8);
    json_free(&d);
    free(text);
}

/* A comma or a bracket in a string begins no value. */
static void json_counts_no_values_in_strings(void **state)
{
    (void)state;
    struct JsonDocument d;
    struct Error e = { "" };
    char text[9000];
    memset(text, ',', sizeof text);
    memcpy(text, "[\"\\\"\\\\", 6);
    memcpy(text + sizeof text - 2, "\"]", 2);
    if (!json_parse(&d, "text", text, sizeof text, &e))
        fail_msg("%s", e.text);
    assert_int_equal(d.root->first->length, sizeof text - 6);
    json_free(&d);
}

static void json_refuses_large_text(void **state)
{
    (void)state;
    struct JsonDocument d;
    struct Error e = { "" };
    char *text = dense_json(JSON_MAX_BYTES + 1, 100);
    assert_false(json_parse(&d, "text", text, JSON_MAX_BYTES + 1, &e));
    if (!strstr(e.text, "8388609 bytes of JSON"))
        fail_msg("%s", e.text);
    text[JSON_MAX_BYTES - 1] = ']';
    text[JSON_MAX_BYTES] = ' ';
    assert_true(json_parse(&d, "text", text, JSON_MAX_BYTES, &e));
    json_free(&d);
    free(text);
}

/* An object with as many different keys as there is room for. */
static char *many_keys(size_t bytes)
{
    char *text = malloc(bytes);
    memset(text, ' ', bytes);
    text[0] = '{';
    size_t n = (bytes - 2) / 9;
    for (size_t i = 0; i < n; i++) {
        char key[10] = "\"....\":0,";
        for (size_t k = 1, rest = i; k < 5; k++, rest /= 40)
            key[k] = (char)('0' + rest % 40);
        key[8] = i + 1 < n ? ',' : ' ';
        memcpy(text + 1 + 9 * i, key, 9);
    }
    text[bytes - 1] = '}';
    return text;
}

/* What json.h promises, measured: the memory that a process of its own has
 * taken, and not given back, at the moment when it had most. */
static void json_memory(void **state)
{
    bool keys = strcmp(*state, "keys") == 0;
    bool wide = strcmp(*state, "a string") == 0;
    const size_t n = JSON_MAX_BYTES;
    char *text = keys ? many_keys(n) : dense_json(n, wide ? n - 2 : 4);
    if (wide) {
        memset(text + 1, 'a', n - 2);
        text[1] = text[n - 2] = '"';
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct JsonDocument d;
        struct Error e;
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        bool ok = json_parse(&d, "text", text, n, &e);
        getrusage(RUSAGE_SELF, &after);
        long kb = after.ru_maxrss - before.ru_maxrss;
        printf("# %s: %.1f bytes of memory for a byte of JSON\n",
               (const char *)*state, 1024.0 * (double)kb / (double)n);
        fflush(stdout);
        _exit(!ok ? 2 : kb > (long)(17 * n / 1024));
    }
    int status;
    waitpid(child, &status, 0);
    free(text);
    assert_int_equal(status, 0);
}

/* ---- the command line: each row runs in a child, for errors exit ---- */

struct ArgsRow {
    const char *words[6];
    int status;
    const char *says;
};

static const struct ArgsRow args_rows[] = {
    { { "--steps", "12", "--lr=0.5", "x" }, 0, "12 0.5 - linear 1" },
    { { "--fast", "--", "--steps" }, 0, "1 0.1 fast linear 1" },
    { { "--schedule", "cosine", "-" }, 0, "1 0.1 - cosine 1" },
    { { "--step", "3" }, 2, "did you mean --steps?" },
    { { "--zzzzzz" }, 2, "--help lists" },
    { { "--steps" }, 2, "expected N after it" },
    { { "--steps", "0" }, 2, "from 1 to 100" },
    { { "--steps", "1x" }, 2, "whole number" },
    { { "--steps", "" }, 2, "whole number" },
    { { "--steps", "99999999999999999999" }, 2, "whole number" },
    { { "--lr", "nan" }, 2, "finite" },
    { { "--lr", "inf" }, 2, "finite" },
    { { "--lr", "-1" }, 2, "from 0 to 10" },
    { { "--schedule", "cosin" }, 2, "did you mean cosine?" },
    { { "--fast=1" }, 2, "takes no value" },
    { { "-steps", "1" }, 2, "two dashes" },
    { { "--help" }, 0, "--steps N" },
    { { "--version" }, 0, PROGRAM_VERSION },
};

static void run_args(const struct ArgsRow *row)
{
    int steps = 1, argc = 1;
    double lr = 0.1;
    bool fast = false;
    const char *schedule = "linear";
    char *argv[8] = { "prog" };
    for (; argc < 6 && row->words[argc - 1]; argc++)
        argv[argc] = (char *)row->words[argc - 1];
    const struct Option table[] = {
        { "steps", OPT_INT, &steps, 1, 100, "N", "how many", NULL },
        { "lr", OPT_DOUBLE, &lr, 0, 10, "X", "how fast", NULL },
        { "fast", OPT_FLAG, &fast, 0, 0, NULL, "be fast", NULL },
        { "schedule", OPT_CHOICE, &schedule, 0, 0, "linear|cosine", "how",
          NULL },
        { .type = OPT_END } };
    static const struct Usage usage = { "[options]", "A test.", NULL };
    int words = args_parse(argc, argv, table, &usage);
    printf("%d %g %s %s %d\n", steps, lr, fast ? "fast" : "-", schedule,
           words);
}

static void args_row(void **state)
{
    const struct ArgsRow *row = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        run_args(row);
        fflush(stdout);
        _exit(0);
    }
    close(pipes[1]);
    char text[4096];
    size_t n = 0;
    for (ssize_t k; (k = read(pipes[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)k;
    text[n] = 0;
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != row->status)
        fail_msg("%s: status %d: %s", row->words[0], status, text);
    if (!strstr(text, row->says))
        fail_msg("%s: says %s", row->words[0], text);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

int main(void)
{
    struct CMUnitTest tests[100] = {
        cmocka_unit_test(escape_twice_is_escape_once),
        cmocka_unit_test(escape_cuts_between_characters),
        cmocka_unit_test(fail_escapes),
        cmocka_unit_test(show_text_spares_a_terminal_only),
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(rng_streams_differ),
        cmocka_unit_test(rng_normal_has_its_moments),
        cmocka_unit_test(rng_uniform_stays_below_one),
        cmocka_unit_test(rng_below_is_even),
        cmocka_unit_test(writer_commits_whole_files),
        cmocka_unit_test(writer_reports_a_full_disk),
        cmocka_unit_test(map_refuses_what_is_no_file),
        cmocka_unit_test(cut_file_is_named),
        cmocka_unit_test(other_faults_end_as_before),
        cmocka_unit_test(lock_dir_excludes_a_second_process),
        cmocka_unit_test(json_reads_every_kind),
        cmocka_unit_test(json_reads_every_length),
        cmocka_unit_test(json_refuses_every_prefix),
        cmocka_unit_test(json_refuses_too_many_values),
        cmocka_unit_test(json_counts_no_values_in_strings),
        cmocka_unit_test(json_refuses_large_text),
        { .name = "json_memory values", .test_func = json_memory,
          .initial_state = "values" },
        { .name = "json_memory keys", .test_func = json_memory,
          .initial_state = "keys" },
        { .name = "json_memory a string", .test_func = json_memory,
          .initial_state = "a string" },
    };
    static char names[COUNT(bad_json) + COUNT(args_rows)][80];
    size_t n = tests_written(tests), k = 0;
    ROWS(escapes, escape)
    for (size_t i = 0; i < COUNT(bad_json); i++, k++) {
        snprintf(names[k], 80, "json_refuses %zu: %.30s", i,
                 bad_json[i].says);
        tests[n++] = (struct CMUnitTest){ .name = names[k],
            .test_func = json_refuses,
            .initial_state = (void *)&bad_json[i] };
    }
    for (size_t i = 0; i < COUNT(args_rows); i++, k++) {
        snprintf(names[k], 80, "args %s %s", args_rows[i].words[0],
                 args_rows[i].words[1] ? args_rows[i].words[1] : "");
        tests[n++] = (struct CMUnitTest){ .name = names[k],
            .test_func = args_row, .initial_state = (void *)&args_rows[i] };
    }
    return _cmocka_run_group_tests("base", tests, n, make_dir, remove_dir);
}
