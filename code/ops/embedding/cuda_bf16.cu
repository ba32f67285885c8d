/* Tangled from chapters/workshop/fused-details.nw, "The embedding".  Edit it there. */

#include <limits.h>
#include "backend/backend.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/sort.cuh"
#include "ops/operators.h"

/* embedding_bf16 forward: a warp for four sequences */
enum { AT_ONCE = 4 };                   /* sequences */

/* embedding_bf16 forward: the kernel */
/* x[b,t,:] = wte[tokens[b,t],:] + wpe[t,:], a warp for position t of four
 * sequences, which have one row of wpe in common.
 *   launch    T ceil(B / 4) warps, 8 in a block
 *   moves     2 BTC bytes out, 2 C for each different token in  */
template <int W>
__global__ void embedding_bf16_fwd_kernel(bf16 *x, const int32_t *tokens,
                                          const bf16 *wte, const bf16 *wpe,
                                          int B, int T, int C)
{
    /* position t of sequence b and those behind it; their words */
    const int lane = threadIdx.x % 32;
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32;
    const int t = warp % T, b = warp / T * AT_ONCE;
    if (b >= B)
        return;                         /* a warp leaves whole */
    size_t word[AT_ONCE];
    #pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
        word[i] = tokens[(size_t)min(b + i, B - 1) * T + t];
    for (int c = W * lane; c < C; c += 32 * W) {
        Pack<W> row[AT_ONCE];
        float v[W], u[W];
        #pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            row[i] = pack_load<W>(wte + word[i] * C + c);
        pack_get(u, pack_load<W>(wpe + (size_t)t * C + c));
        /* add u to each row, and write them */
        #pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (b + i >= B)
                break;
            pack_get(v, row[i]);
            #pragma unroll
            for (int k = 0; k < W; k++)
                v[k] += u[k];
            pack_put(&row[i], v);
            pack_store(x + ((size_t)(b + i) * T + t) * C + c, row[i]);
        }
    }
}

/* embedding_bf16 backward */
/* embedding_bf16: the list of a batch */
enum { PIECE = 32 };                    /* rows of a task, at most */

/* A word, and `rows` entries of the sorted list from `first` on, of which
 * the first is row `row`, if it is the word's only task.  All its tasks are
 * number from .. to - 1 of the list. */
struct Task { int word, row, first, rows, from, to; };

struct List {
    int *count;                 /* of tasks */
    struct Task *task;          /* [N]; behind the last, rows = 0 */
    int *place;                 /* [N]: rows, sorted by word */
    int *met;                   /* [2 N / PIECE]: see below; zero */
    int *table, *key[2], *other;        /* of the sort */
};

/* Lists the tasks of the word that begins at entry i, if one does; those
 * of words of one task, or of several.
 *   launch    ceil(N / 256) blocks of 256 */
__global__ void list_words(struct List list, const int *key, int N,
                           bool several)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= N || (i > 0 && key[i] == key[i - 1]))
        return;
    /* end = where another word begins */
    int low = i, end = N;
    while (end - low > 1) {
        const int middle = (low + end) / 2;
        if (key[middle] == key[i])
            low = middle;
        else
            end = middle;
    }
    /* list the rows i .. end - 1 as tasks */
    const int tasks = (end - i + PIECE - 1) / PIECE;
    if (several != (tasks > 1))
        return;
    const int at = atomicAdd(list.count, tasks);
    for (int k = 0; k < tasks; k++) {
        const int first = i + PIECE * k;
        list.task[at + k] = Task{ key[i], several ? -1 : list.place[i],
                                  first, min(end - first, (int)PIECE), at,
                                  at + tasks };
        if (several)
            list.met[at + k] = 0;
    }
}

/* embedding_bf16 backward: words */
/* A thread's columns: four from p on and four half a row, h numbers, behind
 * them; or, where W is 1, one. */
template <int W>
__device__ static __forceinline__ void halves_get(float *v, const float *p,
                                                  int h)
{
    float4_get<W == 8 ? 4 : 1>(v, p);
    if (W == 8)
        float4_get<4>(v + 4, p + h);
}

template <int W>
__device__ static __forceinline__ void halves_put(float *p, const float *v,
                                                  int h)
{
    float4_put<W == 8 ? 4 : 1>(p, v);
    if (W == 8)
        float4_put<4>(p + h, v + 4);
}

/* The same of bf16, read for the last time. */
__device__ static __forceinline__ void halves_load(Pack<8> *to,
                                                   const bf16 *p, int h)
{
    const uint2 left = __ldcs((const uint2 *)p);
    const uint2 right = __ldcs((const uint2 *)(p + h));
    to->bits = make_uint4(left.x, left.y, right.x, right.y);
}

__device__ static __forceinline__ void halves_load(Pack<1> *to,
                                                   const bf16 *p, int)
{
    *to = pack_load<1>(p);
}

enum { WORD_BLOCKS = 16384 };

/* embedding_bf16 backward: the kernel */
/* Adds to each word the rows of its tasks.
 *   launch    any number of blocks, a thread for each pack of a row
 *   moves     NC numbers in, 8 C bytes for each word, parts
 *   ceiling   memory */
template <int W, typename E>
__global__ void __launch_bounds__(THREADS, 6)
embedding_bwd_words(float *dwte, float *part, const E *dx,
                    struct List list, int N, int C)
{
    constexpr int LOADED = 8 / sizeof(E);       /* rows at a time */
    __shared__ int met;
    const int h = C / 2, c = (W == 8 ? 4 : 1) * threadIdx.x;
    const bool in = c < (W == 8 ? h : C);
    for (int j = blockIdx.x; j < N; j += gridDim.x) {
        const Task t = list.task[j];
        if (t.rows == 0)
            break;
        /* begin with what the word has already */
        const int tasks = t.to - t.from;
        float *word = dwte + (size_t)t.word * C + c, sum[W] = {}, v[W];
        if (tasks == 1 && in)
            halves_get<W>(sum, word, h);
        /* add up the rows of task t */
        for (int i = 0; in && i < t.rows; i += LOADED) {
            Pack<W, E> row[LOADED] = {};
            /* ask for LOADED rows of dx */
            #pragma unroll
            for (int k = 0; k < LOADED; k++) {
                if (i + k >= t.rows)
                    break;
                const int n = i + k || tasks > 1 ? list.place[t.first + i + k]
                                                 : t.row;
                halves_load(&row[k], dx + (size_t)n * C + c, h);
            }
            #pragma unroll
            for (int k = 0; k < LOADED; k++) {
                pack_get(v, row[k]);
                #pragma unroll
                for (int q = 0; q < W; q++)
                    sum[q] += v[q];
            }
        }
        /* combine the word's tasks; only the last block goes on */
        int k = j - t.from, width = 1;
        for (; width < tasks; width *= 2) {
            const int other = k ^ width, right = t.from + max(k, other);
            if (other >= tasks)
                continue;                       /* nobody to meet in this round */
            /* store the sum; break if the other task is not done */
            float *left = part + (size_t)t.from * C + c;
            if (in)
                halves_put<W>(left + (size_t)k * C, sum, h);
            __syncthreads();

            /* met = the other task is done */
            if (threadIdx.x == 0) {
                __threadfence();
                met = atomicExch(&list.met[right], 1);
                __threadfence();
                if (met)
                    list.met[right] = 0;
            }
            __syncthreads();
            if (!met)
                break;
            if (in)
                halves_get<W>(v, left + (size_t)other * C, h);
            #pragma unroll
            for (int q = 0; q < W; q++)
                sum[q] += v[q];
            k &= ~width;
        }
        if (width < tasks)
            continue;

        /* add what the word has already */
        if (tasks > 1 && in) {
            halves_get<W>(v, word, h);
            #pragma unroll
            for (int q = 0; q < W; q++)
                sum[q] += v[q];
        }
        if (in)
            halves_put<W>(word, sum, h);
    }
}

/* launch embedding_bf16 */
void cuda_embedding_bf16_fwd(bf16 *x, const int32_t *tokens,
                             const bf16 *wte, const bf16 *wpe, int B, int T,
                             int C)
{
    const size_t fours = (B + AT_ONCE - 1) / AT_ONCE;
    const unsigned blocks = blocks_for(fours * T, WARPS);
    if (C % 8 == 0)
        embedding_bf16_fwd_kernel<8>
            <<<blocks, THREADS, 0, backend_stream()>>>(
                x, tokens, wte, wpe, B, T, C);
    else
        embedding_bf16_fwd_kernel<1>
            <<<blocks, THREADS, 0, backend_stream()>>>(
                x, tokens, wte, wpe, B, T, C);
    LAUNCHED();
}

/* Where in `list` everything lies, and if size is not NULL, its bytes. */
static struct List list_at(void *list, int N, size_t *size)
{
    struct List l;
    l.count = (int *)list;
    l.task = (struct Task *)(l.count + 2);
    l.place = (int *)(l.task + N);
    l.met = l.place + N;
    l.key[0] = l.met + 2 * N / PIECE + 1;
    l.key[1] = l.key[0] + N;
    l.other = l.key[1] + N;
    l.table = l.other + N;
    if (size)
        *size = (size_t)((char *)(l.table + MAX_TILES * RADIX)
                         - (char *)list);
    return l;
}

size_t cuda_embedding_bf16_index_size(int N)
{
    size_t size;
    list_at(NULL, N, &size);
    return size;
}

void cuda_embedding_bf16_index(void *list, const int32_t *tokens, int N,
                               int V)
{
    const struct List l = list_at(list, N, NULL);
    int passes = 1;
    while (passes < 4 && (V - 1) >> 8 * passes)
        passes++;
    const int *key = radix_sort(l.place, l.other, l.key, l.table, tokens, N,
                                passes, backend_stream());
    LAUNCHED();
    /* list words of several tasks, then those of one */
    backend_zero(list, (size_t)((char *)l.place - (char *)list));
    for (int one = 0; one < 2; one++) {
        list_words<<<blocks_for(N, THREADS), THREADS, 0, backend_stream()>>>(
            l, key, N, !one);
        LAUNCHED();
    }
}

/* The sums that the tasks of words leave. */
static size_t parts_bytes(int N, int C)
{
    return (2 * (size_t)N / PIECE + 1) * C * sizeof(float);
}

template <int W, typename E>
static void words(float *dwte, void *part, const E *dx, const void *list,
                  int N, int C)
{
    const struct List l = list_at((void *)list, N, NULL);
    embedding_bwd_words<W><<<N < WORD_BLOCKS ? N : WORD_BLOCKS,
                             threads_for((C + W - 1) / W), 0,
                             backend_stream()>>>(dwte, (float *)part, dx, l,
                                               N, C);
    LAUNCHED();
}

void cuda_embedding_bf16_bwd(float *dwte, const bf16 *dx, const void *list,
                             int N, int C)
{
    const int W = C % 8 == 0 ? 8 : 1;
    if (C > W * THREADS)
        backend_failed("embedding_bf16_bwd: rows of %d; it takes multiples "
                       "of 8 up to 2048, and others up to 256", C);
    void *part = backend_scratch(parts_bytes(N, C));
    if (!part)
        return;
    if (W == 8)
        words<8>(dwte, part, dx, list, N, C);
    else
        words<1>(dwte, part, dx, list, N, C);
}

/* embedding backward for floats */
template <> struct Pack<8, float> { Pack<4, float> left, right; };

__device__ static __forceinline__ void pack_get(float *v, Pack<8, float> a)
{
    pack_get(v, a.left);
    pack_get(v + 4, a.right);
}

__device__ static __forceinline__ void halves_load(Pack<8, float> *to,
                                                   const float *p, int h)
{
    to->left.v = __ldcs((const float4 *)p);
    to->right.v = __ldcs((const float4 *)(p + h));
}

bool fp32_embedding_bwd(float *dwte, const float *dx,
                        const int32_t *tokens, int N, int C)
{
    if (!fp32_terms() || C % 8 || C > 8 * THREADS
        || !fp32_aligned(dwte, dx, NULL))
        return false;
    const size_t part = (embedding_bf16_index_size(N) + 15) / 16 * 16;
    char *list = (char *)backend_scratch(part + parts_bytes(N, C));
    if (!list)
        return true;                    /* the failure is kept */
    embedding_bf16_index(list, tokens, N, INT_MAX);
    words<8>(dwte, list + part, dx, list, N, C);
    return true;
}
