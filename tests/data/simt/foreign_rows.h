/* Rows of a program for the software GPU: `ok - TEXT` or `not ok - TEXT`. */
#include <stdio.h>

static int rows_failed;

static void row(const char *text, int right)
{
    printf("%s - %s\n", right ? "ok" : "not ok", text);
    rows_failed += !right;
}

static int rows_end(void)
{
    cudaError_t e = cudaGetLastError();
    if (e) {
        printf("not ok - at the end: %s\n", cudaGetErrorString(e));
        rows_failed++;
    }
    return rows_failed != 0;
}
