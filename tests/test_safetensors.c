/* The safetensors reader against files that lie, and the writer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "io/safetensors.h"
#include <cmocka.h>
#include "named.h"
#include "scratch.h"

static struct Error error;

/* A file image: 8 bytes of length, header, `data` bytes of data.  length
 * < 0: the header's own. */
static unsigned char *image(const char *header, long long length,
                            size_t data, size_t *size)
{
    size_t n = strlen(header);
    unsigned char *p = xcalloc(8 + n + data, 1);
    uint64_t claimed = length < 0 ? n : (uint64_t)length;
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(claimed >> (8 * i));
    memcpy(p + 8, header, n);
    for (size_t i = 0; i < data; i++)
        p[8 + n + i] = (unsigned char)i;
    *size = 8 + n + data;
    return p;
}

#define T(name, dtype, shape, begin, end)                             \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape           \
    ",\"data_offsets\":[" begin "," end "]}"
#define A T("a", "F32", "[2,3]", "0", "24")
#define DEEP8 "[[[[[[[["
#define DEEP DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8

/* Every lie: its header, the bytes of data, and what the message says. */
static const struct Lie {
    const char *name, *header;
    long long length;
    size_t data;
    const char *says;
} lies[] = {
    { "header longer than the file", "{" A "}", 4000, 24,
      "byte 0: a header of 4000 bytes" },
    { "header of 2^63 bytes", "{" A "}", INT64_MAX, 24, "byte 0" },
    { "header of no bytes", "{" A "}", 0, 24, "JSON" },
    { "header cut off", "{" A "}", 20, 24, "JSON" },
    { "a name that a terminal would obey",
      "{\"\\u001b]0;owned\\u0007\":{\"dtype\":\"F31\",\"shape\":[],"
      "\"data_offsets\":[0,4]}}", -1, 4, "tensor '\\x1b]0;owned\\x07'" },
    { "header is an array", "[]", -1, 0, "must be a JSON object" },
    { "header is not JSON", "abc", -1, 0, "JSON" },
    { "text after the object", "{" A "}x", -1, 24, "JSON" },
    { "deep nesting", "{\"a\":" DEEP "0}", -1, 24, "deep" },
    { "duplicate key", "{" A "," A "}", -1, 24, "twice" },
    { "duplicate field", "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\","
      "\"shape\":[6],\"data_offsets\":[0,24]}}", -1, 24, "twice" },
    { "entry is a number", "{\"a\":1}", -1, 24, "expected dtype, shape" },
    { "no dtype", "{\"a\":{\"shape\":[6],\"data_offsets\":[0,24]}}", -1,
      24, "expected dtype, shape" },
    { "a fourth field", "{\"a\":{\"dtype\":\"F32\",\"shape\":[6],"
      "\"data_offsets\":[0,24],\"x\":1}}", -1, 24, "nothing else" },
    { "dtype unknown", "{" T("a", "F31", "[6]", "0", "24") "}", -1, 24,
      "dtype 'F31' is unknown" },
    { "dtype a number", "{\"a\":{\"dtype\":4,\"shape\":[6],"
      "\"data_offsets\":[0,24]}}", -1, 24, "must be a string" },
    { "dtype too wide for its bytes", "{" T("a", "F64", "[6]", "0", "24")
      "}", -1, 24, "need 48" },
    { "shape negative", "{" T("a", "F32", "[-6]", "0", "24") "}", -1, 24,
      "whole number" },
    { "shape a fraction", "{" T("a", "F32", "[6.0]", "0", "24") "}", -1,
      24, "whole number" },
    { "shape a number", "{" T("a", "F32", "6", "0", "24") "}", -1, 24,
      "a list" },
    { "shape of 9 dimensions", "{" T("a", "F32", "[1,1,1,1,1,1,1,1,6]",
      "0", "24") "}", -1, 24, "at most 8" },
    { "shape of 2^63 elements", "{" T("a", "F32",
      "[9223372036854775808]", "0", "24") "}", -1, 24, "more elements" },
    { "shape that wraps to 6", "{" T("a", "F32",
      "[4294967296,4294967296,6]", "0", "24") "}", -1, 24,
      "more elements" },
    { "size past 2^64", "{" T("a", "F32", "[99999999999999999999]", "0",
      "24") "}", -1, 24, "whole number" },
    { "shape and bytes disagree", "{" T("a", "F32", "[5]", "0", "24") "}",
      -1, 24, "need 20" },
    { "offsets reversed", "{" T("a", "F32", "[6]", "24", "0") "}", -1, 24,
      "data_offsets 24 to 0" },
    { "offsets past the end", "{" T("a", "F32", "[7]", "0", "28") "}", -1,
      24, "24 bytes of data" },
    { "offsets of 2^63", "{" T("a", "F32", "[6]", "9223372036854775808",
      "9223372036854775832") "}", -1, 24, "24 bytes of data" },
    { "one offset", "{\"a\":{\"dtype\":\"F32\",\"shape\":[6],"
      "\"data_offsets\":[0]}}", -1, 24, "two whole numbers" },
    { "offsets overlap", "{" A "," T("b", "F32", "[2]", "16", "24") "}",
      -1, 24, "they overlap" },
    { "same bytes twice", "{" A "," T("b", "F32", "[6]", "0", "24") "}",
      -1, 24, "they overlap" },
    { "a hole", "{" A "," T("b", "F32", "[2]", "32", "40") "}", -1, 40,
      "there is a hole" },
    { "a hole in front", "{" T("b", "F32", "[2]", "8", "16") "}", -1, 16,
      "there is a hole" },
    { "bytes behind the last", "{" A "}", -1, 25, "the file has 25" },
    { "no tensor but data", "{}", -1, 4, "the file has 4" },
    { "metadata a list", "{\"__metadata__\":[]," A "}", -1, 24,
      "__metadata__" },
    { "metadata a number", "{\"__metadata__\":{\"a\":1}," A "}", -1, 24,
      "__metadata__" },
    { "a zero byte in a name", "{" T("a\\u0000b", "F32", "[6]", "0", "24")
      "}", -1, 24, "zero byte" },
};

static void lie(void **state)
{
    const struct Lie *l = *state;
    struct Safetensors s;
    size_t size;
    unsigned char *p = image(l->header, l->length, l->data, &size);
    error.text[0] = 0;
    bool ok = safetensors_parse(&s, "FILE", p, size, &error);
    safetensors_close(&s);
    free(p);
    assert_false(ok);
    if (!strstr(error.text, l->says) || strncmp(error.text, "FILE", 4) != 0)
        fail_msg("says: %s", error.text);
}

/* What is allowed: an empty file of tensors, empty tensors, scalars,
 * metadata, white space behind the header, any order. */
static const struct Lie truths[] = {
    { "no tensors", "{}", -1, 0, NULL },
    { "padding", "{" A "}      ", -1, 24, NULL },
    { "metadata", "{\"__metadata__\":{\"format\":\"pt\"}," A "}", -1, 24,
      NULL },
    { "an empty tensor", "{" A "," T("b", "F32", "[0,5]", "24", "24") "}",
      -1, 24, NULL },
    { "a scalar", "{" T("a", "F64", "[]", "0", "8") "}", -1, 8, NULL },
    { "another order", "{" T("a", "U8", "[2]", "24", "26") ","
      T("b", "F32", "[6]", "0", "24") "}", -1, 26, NULL },
};

static void truth(void **state)
{
    const struct Lie *l = *state;
    struct Safetensors s;
    size_t size;
    unsigned char *p = image(l->header, l->length, l->data, &size);
    bool ok = safetensors_parse(&s, "FILE", p, size, &error);
    safetensors_close(&s);
    free(p);
    if (!ok)
        fail_msg("%s", error.text);
}

static void short_files(void **state)
{
    (void)state;
    struct Safetensors s;
    size_t size;
    unsigned char *p = image("{" A "}", -1, 24, &size);
    for (size_t n = 0; n < size; n++) {
        unsigned char *part = n ? malloc(n) : NULL;     /* exact bounds */
        if (n)
            memcpy(part, p, n);
        assert_false(safetensors_parse(&s, "FILE", part, n, &error));
        safetensors_close(&s);
        free(part);
    }
    free(p);
}

/* ---- values ---- */

static void read_one(const char *header, const void *data, size_t bytes,
                     real *out)
{
    struct Safetensors s;
    size_t size;
    unsigned char *p = image(header, -1, bytes, &size);
    memcpy(p + size - bytes, data, bytes);
    assert_true(safetensors_parse(&s, "FILE", p, size, &error));
    const struct StTensor *t = safetensors_find(&s, "a");
    assert_non_null(t);
    assert_null(safetensors_find(&s, "b"));
    assert_true(safetensors_read(&s, t, out, &error));
    safetensors_close(&s);
    free(p);
}

/* All 65,536 halves, against the definition. */
static void all_halves(void **state)
{
    (void)state;
    uint16_t *h = xcalloc(65536, 2);
    real *x = xcalloc(65536, sizeof *x);
    for (int i = 0; i < 65536; i++)
        h[i] = (uint16_t)i;
    read_one("{" T("a", "F16", "[65536]", "0", "131072") "}", h, 131072, x);
    for (int i = 0; i < 65536; i++) {
        int e = i >> 10 & 31, f = i & 1023;
        double want = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
        if (e == 31)
            want = f ? NAN : INFINITY;
        want = i & 0x8000 ? -want : want;
        if (isnan(want))
            assert_true(isnan(x[i]));
        else
            assert_true((double)x[i] == want
                        && !signbit(x[i]) == !signbit(want));
    }
    free(h);
    free(x);
}

static void other_types(void **state)
{
    (void)state;
    real x[2];
    uint16_t b[2] = { 0x3fc0, 0xff80 };             /* 1.5, -inf */
    read_one("{" T("a", "BF16", "[2]", "0", "4") "}", b, 4, x);
    assert_true(x[0] == 1.5f && isinf(x[1]) && x[1] < 0);
    double d[2] = { -2.25, 1e300 };
    read_one("{" T("a", "F64", "[2]", "0", "16") "}", d, 16, x);
    assert_true(x[0] == -2.25f);
    float f[2] = { 0.1f, -0.0f };
    read_one("{" T("a", "F32", "[2]", "0", "8") "}", f, 8, x);
    assert_true(x[0] == (real)0.1f && signbit(x[1]));
}

static void integers_are_no_weights(void **state)
{
    (void)state;
    struct Safetensors s;
    real x[6];
    size_t size;
    unsigned char *p = image("{" T("a", "I32", "[6]", "0", "24") "}", -1,
                             24, &size);
    assert_true(safetensors_parse(&s, "FILE", p, size, &error));
    assert_false(safetensors_read(&s, &s.tensor[0], x, &error));
    assert_non_null(strstr(error.text, "holds I32"));
    safetensors_close(&s);
    free(p);
}

/* ---- writing ---- */

static char path[300];

static int set_up(void **state)
{
    int status = make_dir(state);
    snprintf(path, sizeof path, "%s/some.safetensors", dir);
    return status;
}

static void written_is_read(void **state)
{
    (void)state;
    real w[6] = { 1, 2, 3, 4, 5, 6 }, b[3] = { -1, 0.5f, 7 }, back[6];
    struct StSource source[] = {
        { .name = "z.weight", .rows = 2, .cols = 3, .data = w },
        { .name = "a.bias", .cols = 3, .data = b } };
    assert_true(safetensors_write(path, source, 2, &error));
    struct Safetensors s;
    assert_true(safetensors_open(&s, path, &error));
    assert_int_equal(s.n, 2);
    assert_int_equal(s.data_offset % 8, 0);
    const struct StTensor *t = safetensors_find(&s, "z.weight");
    assert_true(t && t->ndim == 2 && t->shape[0] == 2 && t->shape[1] == 3
                && t->begin == 12);         /* behind a.bias */
    assert_true(safetensors_read(&s, t, back, &error));
    assert_memory_equal(w, back, sizeof w);
    t = safetensors_find(&s, "a.bias");
    assert_true(t && t->ndim == 1 && t->shape[0] == 3);
    safetensors_close(&s);
    unlink(path);
}

/* The bytes printed in the appendix on formats. */
static void bytes_as_documented(void **state)
{
    (void)state;
    real b[2] = { 1, -2 };
    struct StSource source = { .name = "b", .cols = 2, .data = b };
    assert_true(safetensors_write(path, &source, 1, &error));
    static const unsigned char want[] =
        "\x58\0\0\0\0\0\0\0"
        "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"F32\","
        "\"shape\":[2],\"data_offsets\":[0,8]}}   "
        "\0\0\x80\x3f\0\0\0\xc0";
    struct Mapped m;
    assert_true(map_file(&m, path, &error));
    unlink(path);
    assert_int_equal(m.size, sizeof want - 1);
    assert_memory_equal(m.data, want, m.size);
    unmap_file(&m);
}

static void cannot_write(void **state)
{
    (void)state;
    real b[2] = { 1, -2 };
    struct StSource source = { .name = "b", .cols = 2, .data = b };
    assert_false(safetensors_write("/nonexistent/x", &source, 1, &error));
    assert_non_null(strstr(error.text, "/nonexistent/x"));
}

/* A device that is always full: the file does not appear. */
static void full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    char link[320];
    snprintf(link, sizeof link, "%s.tmp-%ld", path, (long)getpid());
    if (symlink("/dev/full", link) != 0)
        skip();
    static real big[100000];
    struct StSource source = { .name = "b", .cols = 100000, .data = big };
    assert_false(safetensors_write(path, &source, 1, &error));
    assert_non_null(strstr(error.text, "space"));
    assert_true(access(path, F_OK) != 0);
    unlink(link);
}

int main(void)
{
    static struct CMUnitTest tests[100] = {
        cmocka_unit_test(short_files),
        cmocka_unit_test(all_halves),
        cmocka_unit_test(other_types),
        cmocka_unit_test(integers_are_no_weights),
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(bytes_as_documented),
        cmocka_unit_test(cannot_write),
        cmocka_unit_test(full_disk),
    };
    int n = 8;
    ROWS(lies, lie)
    ROWS(truths, truth)
    return _cmocka_run_group_tests("safetensors", tests, (size_t)n, set_up,
                                   remove_dir);
}
