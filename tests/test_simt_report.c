/* What the report and the questions about a kernel rest on: its name as the
 * source has it, and how many of its blocks a multiprocessor holds. */
#include "rows.h"
#include "simt/runtime/cards.h"
#include "simt/runtime/names.h"

static void name(const struct Row *row)
{
    static const struct { const char *mangled, *plain; } all[] = {
        { "_Z10vector_addPfPKfS1_i", "vector_add" },
        { "_Z5scaleILi4EEvPfi", "scale<4>" },
        { "_Z5scaleILin4ELj7EEvPf", "scale<-4, 7>" },
        { "_Z4copyIfEvPT_PKS0_", "copy<float>" },
        { "_Z4copyI13__nv_bfloat16Li2EEvPT_", "copy<__nv_bfloat16, 2>" },
        { "_Z3allPfPKDv4_f", "all" },
        { "_ZN3lab4copyEPf", "lab::copy" },
        { "_ZN12_GLOBAL__N_14copyEPf", "copy" },
        { "_ZL4copyPf", "copy" },
        { "plain", "plain" },
        { "_Z99short", "_Z99short" },
        { "_Z", "_Z" },
        { "_ZN", "_ZN" },
        { "_Z4copyIXT_EEvPf", "_Z4copyIXT_EEvPf" },
        { "_Z4copyI", "_Z4copyI" },
        { "", "" },
    };
    char text[64];
    (void)row;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        plain_name(text, sizeof text, all[i].mangled);
        if (strcmp(text, all[i].plain) != 0)
            fail_msg("%s became %s, should be %s", all[i].mangled, text,
                     all[i].plain);
    }
    plain_name(text, 5, "_Z10vector_addPf");        /* cut, not overrun */
    assert_string_equal(text, "vect");
}

/* threads, shared bytes, registers -> blocks, as the formulas of NVIDIA's
 * occupancy calculator give them */
static void resident(const struct Row *row)
{
    assert_int_equal(setenv("SIMT_GPU", strstr(row->name, "4090") ? "4090"
                            : strstr(row->name, "a100") ? "a100" : "", 1), 0);
    struct Occupancy o = occupancy(gpu_chosen(), row_int(row, "threads"),
                                   (size_t)row_int(row, "shared"),
                                   row_int(row, "registers"));
    int blocks = row_int(row, "blocks");
    if (o.blocks != blocks)
        fail_msg("%d blocks, limited by %s", o.blocks, o.limit);
    assert_int_equal(o.warps, blocks * ((row_int(row, "threads") + 31) / 32));
    if (!strstr(row->catches, o.limit))
        fail_msg("limited by %s", o.limit);
}

static void stated(const struct Row *row)
{
    (void)row;
    unsetenv("SIMT_REGISTERS");
    assert_int_equal(registers_stated("gemm"), 0);
    setenv("SIMT_REGISTERS", "40", 1);
    assert_int_equal(registers_stated("gemm"), 40);
    setenv("SIMT_REGISTERS", "softmax=32,gemm=128,copy=8", 1);
    assert_int_equal(registers_stated("gemm"), 128);
    assert_int_equal(registers_stated("copy"), 8);
    assert_int_equal(registers_stated("gem"), 0);
    assert_int_equal(registers_stated("gemm2"), 0);
    setenv("SIMT_REGISTERS", "softmax=32,16", 1);
    assert_int_equal(registers_stated("softmax"), 32);
    assert_int_equal(registers_stated("other"), 16);
    unsetenv("SIMT_REGISTERS");
}

static const struct Row rows[] = {
    { "names", name, "template arguments, namespaces, garbage" },
    { "h200 threads=256 shared=0 registers=32 blocks=8", resident, "warps" },
    { "h200 threads=1024 shared=0 registers=32 blocks=2", resident, "warps" },
    { "h200 threads=32 shared=0 registers=0 blocks=32", resident, "blocks" },
    { "h200 threads=96 shared=0 registers=0 blocks=21", resident, "warps" },
    { "h200 threads=33 shared=0 registers=0 blocks=32", resident, "blocks" },
    { "h200 threads=80 shared=0 registers=0 blocks=21", resident, "warps" },
    { "h200 threads=64 shared=0 registers=33 blocks=24", resident,
      "registers" },
    { "h200 threads=256 shared=0 registers=71 blocks=3", resident,
      "registers" },
    { "h200 threads=256 shared=0 registers=255 blocks=1", resident,
      "registers" },
    { "h200 threads=128 shared=49152 registers=0 blocks=4", resident,
      "shared memory" },
    { "h200 threads=128 shared=58368 registers=0 blocks=3", resident,
      "shared memory" },
    { "h200 threads=128 shared=232448 registers=32 blocks=1", resident,
      "shared memory" },
    { "a100 threads=128 shared=49152 registers=0 blocks=3", resident,
      "shared memory" },
    { "4090 threads=256 shared=0 registers=32 blocks=6", resident, "warps" },
    { "registers stated", stated, "a name that begins like another" },
};

int main(void)
{
    return rows_run("simt_report", rows, sizeof rows / sizeof *rows);
}
