/* The least time of some work on a GPU of a list, and the list itself. */
#include "lessons/gpu_list.h"
#include "rows.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const struct PaperGpu h200 = { "H200", 66.9e12, 989.4e12, 4800e9 };

/* t and what sets it, for F operations and M bytes; bytes set it if m=1 */
static void bound(const struct Row *row)
{
    double F = row_number(row, "F", NAN), M = row_number(row, "M", NAN);
    double want = row_number(row, "t", NAN);
    bool memory = !row_int(row, "m");
    double t = lower_bound_s(&h200, F, M, !row_int(row, "fp32"), &memory);
    if (!(fabs(t - want) <= 1e-3 * want))
        fail_msg("%g s, expected %g s", t, want);
    assert_int_equal(memory, row_int(row, "m"));
}

static int list_of(struct PaperGpu *gpu, const char *text, struct Error *e)
{
    char path[] = "/tmp/gpus-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    int n = paper_gpus_read(gpu, 4, path, e);
    unlink(path);
    return n;
}

#define HEAD "gpu,year,sms,clock_ghz,fp32_tflops,matmul_tflops,memory_gbs,n\n"

static void units(const struct Row *row)
{
    (void)row;
    struct PaperGpu g[4];
    struct Error e;
    assert_int_equal(list_of(g, "# given\n" HEAD
                             "A B,2020,108,1.41,19.5,312,1555,600\n"
                             "C,2024,,,80,2250,8000,1800\n", &e), 2);
    assert_string_equal(g[0].name, "A B");
    assert_true(g[0].fp32_flops == 19.5e12);
    assert_true(g[0].matmul_flops == 312e12);
    assert_true(g[0].memory_bytes == 1555e9);
    assert_string_equal(g[1].name, "C");
    assert_true(g[1].memory_bytes == 8000e9);
}

static void refuses(const struct Row *row)
{
    (void)row;
    static const char *const bad[] = {
        "", "# only this\n", "gpu,tflops\nA,1\n", HEAD "A,2020,1,1,1,1\n",
        HEAD "A,2020,1,1,1,1,0,\n", HEAD "A,2020,1,1,-1,1,1,\n",
        HEAD "A,2020,1,1,1,nan,1,\n", HEAD "A\n", HEAD ",2020,1,1,1,1,1,\n",
    };
    struct PaperGpu g[4];
    struct Error e;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e.text[0] = 0;
        if (list_of(g, bad[i], &e) != -1)
            fail_msg("accepted: %s", bad[i]);
        assert_non_null(strstr(e.text, "expected"));
    }
    assert_int_equal(paper_gpus_read(g, 4, "/no/such/list", &e), -1);
    assert_non_null(strstr(e.text, "/no/such/list"));
}

static void the_book(const struct Row *row)
{
    (void)row;
    struct PaperGpu g[64];
    struct Error e;
    int n = paper_gpus_read(g, 64, "figures/data/gpus.csv", &e);
    if (n < 11)
        fail_msg("%d rows: %s", n, e.text);
    for (int i = 0; i < n; i++) {       /* no matrix unit is slower, and */
        double balance = g[i].matmul_flops / g[i].memory_bytes;
        assert_true(g[i].matmul_flops >= g[i].fp32_flops);
        assert_true(balance > 1 && balance < 1000);
    }
}

int main(void)
{
    static const struct Row rows[] = {
        { "bound F=989.4e12 M=1 fp32=0 t=1 m=0", bound, "fp32 rate for a matmul" },
        { "bound F=66.9e12 M=1 fp32=1 t=1 m=0", bound, "matmul rate for float32" },
        { "bound F=1 M=4.8e12 fp32=0 t=1 m=1", bound, "bytes left out" },
        { "bound F=989.4e12 M=4.8e12 fp32=0 t=1 m=0", bound, "a sum, not a maximum" },
        { "bound F=3115222400 M=3115222400 fp32=0 t=649.0e-6 m=1", bound, "the puzzle" },
        { "list in TFLOP/s and GB/s, empty fields", units, "GB taken for GiB, fields counted by content" },
        { "list refuses what is not one", refuses, "NaN and zero rates" },
        { "list of the book", the_book, "a column moved" },
    };
    return rows_run("lower bound", rows, sizeof rows / sizeof *rows);
}
