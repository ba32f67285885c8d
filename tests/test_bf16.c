/* Numbers of 16 bits on the host: every one of them, and every middle. */
#include "rows.h"
#include "ops/kernels/bf16.h"

/* Every bf16 is itself as a float; between two, the nearer. */
static void bf16_row(const struct Row *row)
{
    (void)row;
    for (uint32_t b = 0; b < 0x10000; b++) {
        const bf16 x = { (uint16_t)b };
        const float f = bf16_to_float(x);
        if (isnan(f)) {
            assert_true(isnan(bf16_to_float(float_to_bf16(f))));
            continue;
        }
        assert_true(float_to_bf16(f).bits == (b));
        if ((b & 0x7fff) >= 0x7f7f)
            continue;
        const bf16 next = { (uint16_t)(b + 1) };
        const float g = bf16_to_float(next), middle = f + (g - f) / 2;
        assert_true(float_to_bf16(middle).bits == (b + (b & 1)));
        assert_true(float_to_bf16(nextafterf(middle, g)).bits == (b + 1));
        assert_true(float_to_bf16(nextafterf(middle, f)).bits == (b));
    }
    assert_true(float_to_bf16(3.4e38f).bits == 0x7f80);
    for (uint32_t nan = 0x7f800001; nan < 0x80000000; nan += 0x7ffffe) {
        float f;                        /* its bits may all be low ones */
        memcpy(&f, &nan, sizeof f);
        assert_true(isnan(bf16_to_float(float_to_bf16(f))));
    }
}

static const struct Row rows[] = {
{ "bf16 every number and every middle", bf16_row,
  "rounds half up; NaN becomes infinity" },
};

int main(void)
{
    return rows_run("bf16", rows, sizeof rows / sizeof *rows);
}
