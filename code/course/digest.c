/* Tangled from chapters/course/class.nw, "The hash of a file".  Edit it there. */

#include "course/digest.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* the constants of SHA-256 */
struct Sha { uint32_t k[64], start[8]; };

static uint32_t fraction(long double x)
{
    return (uint32_t)((x - floorl(x)) * 4294967296.0L);
}

static struct Sha constants(void)
{
    struct Sha s;
    int found = 0;
    for (int p = 2; found < 64; p++) {
        int q = 2;
        while (p % q)
            q++;
        if (q < p)
            continue;
        if (found < 8)
            s.start[found] = fraction(sqrtl(p));
        s.k[found++] = fraction(cbrtl(p));
    }
    return s;
}

/* mix 64 bytes into the words */
static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void expand(uint32_t w[64], const unsigned char *b)
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)b[4 * i] << 24 | (uint32_t)b[4 * i + 1] << 16 |
               (uint32_t)b[4 * i + 2] << 8 | b[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] +
               (turn(x, 7) ^ turn(x, 18) ^ x >> 3) +
               (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
    }
}

static void mix(uint32_t h[8], const uint32_t k[64], const unsigned char *b)
{
    uint32_t w[64], v[8];
    expand(w, b);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t s = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        uint32_t t = v[7] + s + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        s = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        uint32_t u = s + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

/* hash a whole text */
void digest(char to[DIGEST_TEXT], const void *bytes, size_t n)
{
    struct Sha s = constants();
    const unsigned char *b = bytes;
    unsigned char end[128] = { 0 };
    size_t rest = n % 64, last = rest < 56 ? 64 : 128;
    for (size_t i = 0; i + 64 <= n; i += 64)
        mix(s.start, s.k, b + i);
    if (rest)
        memcpy(end, b + n - rest, rest);
    end[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        end[last - 1 - i] = (unsigned char)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < last; i += 64)
        mix(s.start, s.k, end + i);
    for (size_t i = 0; i < 8; i++)
        snprintf(to + 8 * i, 9, "%08x", s.start[i]);
}
