/* Tangled from chapters/workshop/text-tables.nw, "Letters, numbers and spaces".  Edit it there. */

#include "data/split.h"

#include "data/unicode.h"

#include <stdbool.h>
#include <string.h>

/* the class of each ASCII byte */
#define O CHAR_OTHER
#define L CHAR_LETTER
#define N CHAR_NUMBER
#define S CHAR_SPACE
static const uint8_t ascii_class[128] = {
    O, O, O, O, O, O, O, O, O, S, S, S, S, S, O, O,     /* 09-0D */
    O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
    S, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,     /* space */
    N, N, N, N, N, N, N, N, N, N, O, O, O, O, O, O,
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O,
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O,
};
#undef O
#undef L
#undef N
#undef S

static inline enum CharClass class_at(size_t *n, const uint8_t *text,
                                      size_t size)
{
    *n = 1;
    return text[0] < 0x80 ? (enum CharClass)ascii_class[text[0]]
                          : char_class(n, text, size);
}

/* match a contraction */
static size_t contraction(const uint8_t *text, size_t size)
{
    if (text[0] != '\'' || size < 2)
        return 0;
    if (memchr("stmd", text[1], 4))
        return 2;
    bool three = size > 2 && (memcmp(text + 1, "re", 2) == 0
                              || memcmp(text + 1, "ve", 2) == 0
                              || memcmp(text + 1, "ll", 2) == 0);
    return three ? 3 : 0;
}

/* find the end of a run */
static size_t run_end(const uint8_t *text, size_t size, size_t at,
                      enum CharClass class)
{
    size_t n = 0;
    while (at < size && class_at(&n, text + at, size - at) == class)
        at += n;
    return at;
}

/* find the end of white space */
static size_t blank_end(const uint8_t *text, size_t size, size_t at)
{
    size_t end = at, last = at, n = 0;
    while (end < size
           && class_at(&n, text + end, size - end) == CHAR_SPACE) {
        last = end;
        end += n;
    }
    return end == size || last == at ? end : last;
}

/* find the end of a piece */
size_t piece_end(const uint8_t *text, size_t size, size_t at)
{
    size_t n = contraction(text + at, size - at);
    if (n)
        return at + n;
    size_t next = at + (text[at] == ' ');
    if (next < size) {
        enum CharClass class = class_at(&n, text + next, size - next);
        if (class != CHAR_SPACE)
            return run_end(text, size, next + n, class);
    }
    return blank_end(text, size, at);
}
