/* Layouts as functions, their composition, and the swizzle of TMA. */
#include "rows.h"
#include "lessons/layout.h"

static const struct Layout rows_of_8 = { 2, { 4, 8 }, { 8, 1 } };

static void evaluates(const struct Row *row)
{
    (void)row;
    const struct Layout bias = { 2, { 4, 8 }, { 0, 1 } };
    assert_int_equal(layout_at(&rows_of_8, 5), 9);
    assert_int_equal(layout_at(&rows_of_8, 31), 31);
    assert_int_equal(layout_size(&rows_of_8), 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(layout_at(&bias, i), i / 4);
}

/* a composed with b must be shape:stride as given */
static void is_layout(const struct Layout *a, const struct Layout *b,
                      const struct Layout *want)
{
    struct Layout c;
    assert_true(layout_compose(&c, a, b));
    assert_int_equal(c.modes, want->modes);
    for (int k = 0; k < c.modes; k++) {
        assert_int_equal(c.size[k], want->size[k]);
        assert_int_equal(c.stride[k], want->stride[k]);
    }
    for (int i = 0; i < layout_size(b); i++)
        assert_int_equal(layout_at(&c, i), layout_at(a, layout_at(b, i)));
}

static void composes(const struct Row *row)
{
    (void)row;
    is_layout(&rows_of_8, &(struct Layout){ 1, { 8 }, { 4 } },
              &(struct Layout){ 1, { 8 }, { 1 } });
    is_layout(&rows_of_8, &(struct Layout){ 2, { 2, 4 }, { 1, 8 } },
              &(struct Layout){ 2, { 2, 4 }, { 8, 2 } });
    is_layout(&rows_of_8, &(struct Layout){ 1, { 8 }, { 2 } },
              &(struct Layout){ 2, { 2, 4 }, { 16, 1 } });
    is_layout(&(struct Layout){ 2, { 6, 2 }, { 8, 2 } },
              &(struct Layout){ 2, { 4, 3 }, { 3, 1 } },
              &(struct Layout){ 3, { 2, 2, 3 }, { 24, 2, 8 } });
    is_layout(&rows_of_8, &(struct Layout){ 2, { 4, 2 }, { 0, 4 } },
              &(struct Layout){ 2, { 4, 2 }, { 0, 1 } });
}

static void refuses(const struct Row *row)
{
    (void)row;
    struct Layout c;
    const struct Layout three = { 1, { 3 }, { 1 } }, by_3 = { 1, { 4 }, { 3 } };
    const struct Layout mixed = { 2, { 2, 2 }, { 2, 2 } };
    assert_true(layout_compose(&c, &rows_of_8, &three));
    assert_false(layout_compose(&c, &rows_of_8, &by_3));
    assert_false(layout_compose(&c, &rows_of_8, &mixed));
    const struct Layout deep = { 8, { 2, 2, 2, 2, 2, 2, 2, 2 },
                                 { 9, 7, 5, 3, 2, 6, 4, 1 } };
    const struct Layout twice = { 2, { 128, 2 }, { 1, 128 } };
    const struct Layout three_times = { 3, { 2, 64, 2 }, { 0, 1, 64 } };
    assert_true(layout_compose(&c, &deep, &twice));
    assert_int_equal(c.modes, 8);
    assert_true(layout_compose(&c, &deep, &three_times));
    const struct Layout four = { 4, { 2, 2, 128, 2 }, { 0, 0, 1, 128 } };
    assert_false(layout_compose(&c, &deep, &four));
}

static void swizzles(const struct Row *row)
{
    (void)row;
    for (unsigned x = 0; x < 8192; x++) {
        const unsigned r = x / 128, chunk = x / 16 % 8;
        assert_int_equal(swizzle_128(x),
                         r * 128 + (chunk ^ r % 8) * 16 + x % 16);
        assert_int_equal(swizzle_128(swizzle_128(x)), x);
        assert_int_equal(swizzle_128(x ^ 0x555),
                         swizzle_128(x) ^ swizzle_128(0x555));
    }
    for (unsigned chunk = 0; chunk < 8; chunk++) {
        unsigned places = 0;
        for (unsigned r = 0; r < 8; r++)
            places |= 1u << swizzle_128(r * 128 + chunk * 16) / 16 % 8;
        assert_int_equal(places, 0xff);
    }
}

int main(void)
{
    const struct Row rows[] = {
        { "layout at", evaluates, "the last mode counted as the fastest" },
        { "layout compose", composes, "strides of b not scaled by those of a" },
        { "layout refuse", refuses, "a composition that is no layout given" },
        { "swizzle", swizzles, "the row's bits taken from the wrong place" },
    };
    return rows_run("layout", rows, sizeof rows / sizeof *rows);
}
