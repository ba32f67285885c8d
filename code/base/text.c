/* Tangled from chapters/workshop/ground-floor.nw, "Text that a terminal may have".  Edit it there. */

#include "base/text.h"

#include <string.h>
#include <unistd.h>

/* decode one character of UTF-8 */
static size_t sequence_length(uint8_t first)
{
    return first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2
         : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

size_t utf8_decode(uint32_t *c, const void *text, size_t size)
{
    const uint8_t *s = text;
    uint8_t first = s[0];
    size_t n = sequence_length(first);
    if (n == 0 || n > size)
        return 0;
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    *c = n == 1 ? first : first & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++, low = 0x80, high = 0xBF) {
        if (s[i] < low || s[i] > high)
            return 0;
        *c = (*c << 6) | (s[i] & 0x3F);
    }
    return n;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* The first character of text as a terminal may have it; returns how many
 * bytes of text that is. */
static size_t escape_one(char out[17], const char *text, size_t n,
                         const char *keep)
{
    uint32_t c;
    size_t length = utf8_decode(&c, text, n);
    if (length && (!is_control(c) || memchr(keep, text[0], strlen(keep)))) {
        memcpy(out, text, length);
        out[length] = 0;
        return length;
    }
    length += length == 0;
    for (size_t i = 0; i < length; i++)
        sprintf(out + 4 * i, "\\x%02x", (unsigned char)text[i]);
    return length;
}

/* escape a text */
void escape_text(char *out, size_t size, const char *text, size_t n,
                 const char *keep)
{
    char one[17];
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        i += escape_one(one, text + i, n - i, keep);
        size_t length = strlen(one);
        if (used + length >= size)
            break;
        memcpy(out + used, one, length);
        used += length;
    }
    out[used] = 0;
}

void print_escaped(FILE *out, const char *text, size_t n, const char *keep)
{
    char one[17];
    for (size_t i = 0; i < n;) {
        i += escape_one(one, text + i, n - i, keep);
        fputs(one, out);
    }
}

void show_text(FILE *out, const char *text, size_t n)
{
    int fd = fileno(out);           /* -1: a FILE in memory */
    if (fd >= 0 && isatty(fd))
        print_escaped(out, text, n, "\n\t");
    else
        fwrite(text, 1, n, out);
}
