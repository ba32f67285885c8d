/* Tangled from chapters/workshop/timing-operators.nw, "What rounding does".  Edit it there. */

#include <math.h>
#include <stdio.h>
#include "base/args.h"
#include "base/error.h"
#include "base/rng.h"

/* compute central differences of GELU */
#define K 1.5957691216057308            /* 2 sqrt(2 / pi) */
#define GELU(x, exp) \
    ((x) / (1 + exp(-(x) * (K + K * 0.044715 * (x) * (x)))))

static double difference(double x, double h)
{
    double right = x + h, left = x - h;
    return (GELU(right, exp) - GELU(left, exp)) / (right - left);
}


static double difference_in_float(float x, float h)
{
    float right = x + h, left = x - h;
    float up = GELU(right, expf), down = GELU(left, expf);
    return (double)((up - down) / (right - left));
}

/* rounding: the table of differences */
static void print_differences(void)
{
    const double x = 0.7, u = x * (K + K * 0.044715 * x * x);
    const double s = 1 / (1 + exp(-u));
    const double slope = s + x * s * (1 - s)
                       * (K + 3 * K * 0.044715 * x * x);
    printf("h,double,float\n");
    for (double h = 0.1; h > 0.9e-14; h /= sqrt(10)) {
        printf("%.3g,%.2g,", h, fabs(difference(x, h) - slope));
        if (h > 1e-7)
            printf("%.2g",
                   fabs(difference_in_float(0.7f, (float)h) - slope));
        printf("\n");
    }
}

/* rounding: the table of variances */
enum { C = 768, ROWS = 64 };

/* The largest error among 64 rows of (x - mean) / std. */
static void variance_errors(double mean, double *one, double *two)
{
    struct Rng rng = rng_new(1, 0);
    *one = *two = 0;
    for (int n = 0; n < ROWS; n++) {
        float x[C], sum = 0, squares = 0, v = 0;
        double m = 0, exact = 0;
        for (int c = 0; c < C; c++) {
            double u = (double)rng_uniform(&rng) - 0.5;
            x[c] = (float)(mean + sqrt(12) * u);
            m += (double)x[c] / C;
            sum += x[c];
            squares += x[c] * x[c];
        }
        for (int c = 0; c < C; c++) {
            v += (x[c] - sum / C) * (x[c] - sum / C) / C;
            exact += ((double)x[c] - m) * ((double)x[c] - m) / C;
        }
        float r1 = 1 / sqrtf(squares / C - sum / C * (sum / C) + 1e-5f);
        float r2 = 1 / sqrtf(v + 1e-5f);
        for (int c = 0; c < C; c++) {
            double y = ((double)x[c] - m) / sqrt(exact + 1e-5);
            *one = fmax(*one, fabs((double)((x[c] - sum / C) * r1) - y));
            *two = fmax(*two, fabs((double)((x[c] - sum / C) * r2) - y));
        }
    }
}

static void print_variances(void)
{
    printf("mean,one pass,two passes\n");
    for (double mean = 1; mean <= 1000; mean *= 10) {
        double one, two;
        variance_errors(mean, &one, &two);
        printf("%g,%.2g,%.2g\n", mean, one, two);
    }
}

int main(int argc, char **argv)
{
    bool variance = false;
    const struct Option options[] = {
        { "variance", OPT_FLAG, &variance, 0, 0, NULL,
          "one-pass and two-pass variance", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[--variance]", "show what rounding does "
        "to a difference quotient, or to a variance", NULL };
    args_options(argc, argv, options, &usage);
    if (variance)
        print_variances();
    else
        print_differences();
    return 0;
}
