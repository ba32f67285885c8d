/* Tangled from chapters/workshop/simt-runtime.nw, "Tensor cores".  Edit it there. */

#include "simt/executor/tensor.h"

#include "simt/executor/device_math.h"
#include "simt/executor/tensor_sum.h"

#include <string.h>

enum { M = 16, N = 8, K_MAX = 32, LANES = 32 };

/* which element lies in which register */
static int in_register(const struct Mma *m)     /* elements: p */
{
    return m->type == MMA_TF32 ? 1 : m->type >= MMA_E4M3 ? 4 : 2;
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

/* multiply dense matrices */
static enum TensorType tensor_type(enum MmaType type)
{
    static const enum TensorType of[] = {
        TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_E4M3, TENSOR_E5M2,
        TENSOR_S8, TENSOR_U8,
    };
    return of[type];
}

/* The 4 bytes at unit u of row r of A, or of column r of B. */
static void read_factors(struct Factors *f, enum MmaType type, int k,
                         const uint32_t *const x[], int rows)
{
    enum TensorType t = tensor_type(type);
    int halves = rows / 8, units = k * tensor_bytes(t) / 4;
    for (int r = 0; r < rows; r++) {
        uint32_t row[8] = { 0 };
        for (int u = 0; u < units; u++)
            row[u] = x[u / 4 * halves + r / 8][r % 8 * 4 + u % 4];
        tensor_unpack(f, r, k, t, (const unsigned char *)row);
    }
}

static void add_integers(const struct Mma *m, uint32_t *const d[],
                         const struct Factors *fa, const struct Factors *fb,
                         const uint32_t *const c[])
{
    for (int r = 0; r < M; r++) {
        int32_t sum[N];
        for (int j = 0; j < N; j++)
            sum[j] = (int32_t)c[r / 8 * 2 + j % 2][r % 8 * 4 + j / 2];
        tensor_add_integers(sum, N, m->k, fa, r, fb, m->saturate);
        for (int j = 0; j < N; j++)
            d[r / 8 * 2 + j % 2][r % 8 * 4 + j / 2] = (uint32_t)sum[j];
    }
}

void mma_sync(const struct Mma *m, uint32_t *const d[],
              const uint32_t *const a[], const uint32_t *const b[],
              const uint32_t *const c[])
{
    static _Thread_local struct Factors fa, fb;
    struct TensorRule rule = tensor_rule(tensor_type(m->type), false);
    double all[M][N];
    float sum[N];
    read_factors(&fa, m->type, m->k, a, M);
    read_factors(&fb, m->mixed ? m->b : m->type, m->k, b, N);
    if (m->type >= MMA_S8) {
        add_integers(m, d, &fa, &fb, c);
        return;
    }
    read_c(m, all, c);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            sum[j] = (float)all[i][j];
        tensor_add(sum, N, m->k, &fa, i, &fb, rule, m->half_sum);
        for (int j = 0; j < N; j++)
            all[i][j] = sum[j];
    }
    write_d(m, d, all);
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
