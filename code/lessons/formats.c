/* Tangled from chapters/workshop/measuring-low-precision.nw, "Formats and schemes".  Edit it there. */

/* formats: a number in each format, bit by bit. */
#include "base/args.h"
#include "base/error.h"
#include "base/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* formats: print the bits of a code */
static void print_bits(const struct Format *f, uint32_t code)
{
    const int bits = 1 + f->exponent + f->fraction;
    for (int b = bits - 1; b >= 0; b--) {
        putchar(code >> b & 1 ? '1' : '0');
        if (b == bits - 1 || (f->exponent && b == f->fraction))
            putchar(' ');
    }
    printf("%*s", 35 - bits - (f->exponent ? 2 : 1), "");
}

/* formats: print a number in a format */
static void print_in(const struct Format *f, double x, bool saturate)
{
    const double y = format_round(f, x, saturate);
    printf("%s   ", f->name);
    print_bits(f, format_code(f, y));
    if (x != 0 && isfinite(x) && isfinite(y) && y != x)
        printf("%-18.10g %+.1e\n", y, (y - x) / x);
    else
        printf("%.10g\n", y);
}

/* formats: read a number */
static double number_of(const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end)
        misuse("'%s' is not a number", text);
    return x;
}

int main(int argc, char **argv)
{
    bool saturate = false;
    const struct Option options[] = {
        { "saturate", OPT_FLAG, &saturate, 0, 0, NULL,
          "too large a number becomes the largest, not infinity", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[--saturate] NUMBER...",
        "Print numbers in each format, bit by bit.", NULL };
    const int n = args_parse(argc, argv, options, &usage);
    if (n == 0)
        misuse("which number? for example: formats 0.1");
    for (int i = 0; i < n; i++) {
        const double x = number_of(argv[i]);
        printf("%s%s\n", i ? "\n" : "", argv[i]);
        for (const struct Format *f = formats; f->name; f++)
            print_in(f, x, saturate);
    }
    return 0;
}
