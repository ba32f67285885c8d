/* Tangled from chapters/workshop/simt-runtime.nw, "Tensor cores".  Edit it there. */

#include "simt/executor/tensor.h"

#include "simt/executor/device_math.h"

#include <string.h>

enum { M = 16, N = 8, K_MAX = 32, LANES = 32 };

/* which element lies in which register */
static int in_register(const struct Mma *m)     /* elements: p */
{
    return m->type == MMA_TF32 ? 1 : 2;
}

int mma_a_registers(const struct Mma *m)
{
    return M * m->k / in_register(m) / LANES / (m->sparse ? 2 : 1);
}

int mma_b_registers(const struct Mma *m)
{
    return N * m->k / in_register(m) / LANES;
}

int mma_c_registers(const struct Mma *m)
{
    return m->half_sum ? 2 : 4;
}

static inline double element(const struct Mma *m, uint32_t word, int i)
{
    float x;
    switch (m->type) {
    case MMA_HALF: return float_from_half((uint16_t)(word >> 16 * i));
    case MMA_BF16: word = word >> 16 * i << 16; break;
    default: word &= ~0x1fffu;      /* the hardware reads 19 bits */
    }
    memcpy(&x, &word, sizeof x);
    return x;
}

/* take the matrices out of the registers */
static void read_a(const struct Mma *m, double A[M][16],
                   const uint32_t *const a[])
{
    int p = in_register(m);
    for (int r = 0; r < mma_a_registers(m); r++)
        for (int lane = 0; lane < LANES; lane++) {
            int row = lane / 4 + 8 * (r % 2);
            int unit = lane % 4 + 4 * (r / 2);
            for (int i = 0; i < p; i++)
                A[row][unit * p + i] = element(m, a[r][lane], i);
        }
}

static void read_b(const struct Mma *m, double B[K_MAX][N],
                   const uint32_t *const b[])
{
    int p = in_register(m);
    for (int r = 0; r < mma_b_registers(m); r++)
        for (int lane = 0; lane < LANES; lane++) {
            int column = lane / 4, unit = lane % 4 + 4 * r;
            for (int i = 0; i < p; i++)
                B[unit * p + i][column] = element(m, b[r][lane], i);
        }
}

static void read_c(const struct Mma *m, double sum[M][N],
                   const uint32_t *const c[])
{
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < LANES; lane++) {
            float x;
            if (m->half_sum)
                x = float_from_half((uint16_t)(c[i / 2][lane] >>
                                               16 * (i % 2)));
            else
                memcpy(&x, &c[i][lane], sizeof x);
            sum[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2] = x;
        }
}

static void write_d(const struct Mma *m, uint32_t *const d[],
                    double sum[M][N])
{
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < LANES; lane++) {
            double x = sum[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2];
            float f = x == x ? (float)x : __builtin_nanf("0x3fffff");
            if (!m->half_sum)
                memcpy(&d[i][lane], &f, sizeof f);
            else if (i % 2 == 0)
                d[i / 2][lane] = half_from_double(x);
            else
                d[i / 2][lane] |= (uint32_t)half_from_double(x) << 16;
        }
}

void mma_sync(const struct Mma *m, uint32_t *const d[],
              const uint32_t *const a[], const uint32_t *const b[],
              const uint32_t *const c[])
{
    double A[M][16], B[K_MAX][N], sum[M][N];
    read_a(m, A, a);
    read_b(m, B, b);
    read_c(m, sum, c);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < m->k; k++)
            for (int j = 0; j < N; j++)
                sum[i][j] += A[i][k] * B[k][j];
    write_d(m, d, sum);
}

/* multiply by a sparse matrix */
/* The four bits of columns 4 four to 4 four + 3 of a row */
static int two_places(const uint32_t *e, int selector, int row, int four)
{
    int lane = row % 8 * 4 + 2 * selector + four / 4;
    return e[lane] >> (row / 8 * 16 + four % 4 * 4) & 15;
}

bool mma_sp(const struct Mma *m, uint32_t *const d[],
            const uint32_t *const a[], const uint32_t *const b[],
            const uint32_t *const c[], const uint32_t *e, int selector)
{
    double A[M][16], B[K_MAX][N], sum[M][N];
    read_a(m, A, a);
    read_b(m, B, b);
    read_c(m, sum, c);
    for (int i = 0; i < M; i++)
        for (int s = 0; s < m->k / 2; s++) {
            int places = two_places(e, selector, i, s / 2);
            int k = s / 2 * 4 + (s % 2 ? places / 4 : places % 4);
            if (places % 4 >= places / 4)
                return false;
            for (int j = 0; j < N; j++)
                sum[i][j] += A[i][s] * B[k][j];
        }
    write_d(m, d, sum);
    return true;
}
