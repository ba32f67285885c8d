/* Tangled from chapters/workshop/simt-runtime.nw, "Names".  Edit it there. */

#include "simt/runtime/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* the plain name of a kernel */
struct Plain { const char *from; char *to; size_t size, used; bool lost; };

static void put(struct Plain *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p->used + 1 < p->size)
            p->to[p->used++] = text[i];
    p->to[p->used] = 0;
}

static void identifier(struct Plain *p)
{
    size_t n = 0;
    for (; *p->from >= '0' && *p->from <= '9' && n < 1000; p->from++)
        n = 10 * n + (size_t)(*p->from - '0');
    if (n == 0 || strlen(p->from) < n) {
        p->lost = true;
        return;
    }
    put(p, p->from, n);
    p->from += n;
}

static void argument(struct Plain *p)
{
    static const char letters[] = "bcahstijlmxyfd";
    static const char *const types[] = {
        "bool", "char", "signed char", "unsigned char", "short",
        "unsigned short", "int", "unsigned", "long", "unsigned long",
        "long long", "unsigned long long", "float", "double",
    };
    const char *letter = *p->from ? strchr(letters, *p->from) : NULL;
    if (*p->from == 'L' && p->from[1]) {        /* a number: Li4E */
        p->from += 2;
        if (*p->from == 'n') {
            put(p, "-", 1);
            p->from++;
        }
        size_t n = strspn(p->from, "0123456789");
        put(p, p->from, n);
        p->from += n;
        p->lost |= n == 0 || *p->from++ != 'E';
    } else if (letter) {
        put(p, types[letter - letters], strlen(types[letter - letters]));
        p->from++;
    } else {
        identifier(p);
    }
}

static void arguments(struct Plain *p)
{
    if (*p->from != 'I')
        return;
    p->from++;
    for (int i = 0; *p->from != 'E' && !p->lost; i++) {
        put(p, i ? ", " : "<", i ? 2 : 1);
        argument(p);
    }
    put(p, ">", 1);
    p->from += *p->from == 'E';
}

void plain_name(char *to, size_t size, const char *mangled)
{
    struct Plain p = { mangled + 2, to, size, 0, false };
    bool nested = strncmp(mangled, "_ZN", 3) == 0;
    bool known = strncmp(mangled, "_Z", 2) == 0;
    *to = 0;
    if (nested)
        p.from++;
    for (int i = 0; known && !p.lost && (i == 0 ||
                    (nested && *p.from && *p.from != 'E')); i++) {
        put(&p, "::", i ? 2 : 0);
        if (*p.from == 'L')                     /* static */
            p.from++;
        if (strncmp(p.from, "12_GLOBAL__N_1", 14) == 0) {
            p.from += 14;                       /* no namespace */
            i--;
            continue;
        }
        identifier(&p);
        arguments(&p);
    }
    if (!known || p.lost)
        snprintf(to, size, "%s", mangled);
}
