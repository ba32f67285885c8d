/* Tangled from chapters/workshop/ground-floor.nw, "Text that a terminal may have".  Edit it there. */

#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the well-formed UTF-8 sequence at the start of text, 1 to 4,
 * and its code point; 0 if there is none.  Well-formed as in Table 3-7 of
 * the Unicode Standard: shortest form, no surrogate, at most U+10FFFF.
 * size is at least 1. */
size_t utf8_decode(uint32_t *c, const void *text, size_t size);

/* Copy n bytes of text to out, with \xHH for each byte of a control
 * character that is not in keep and for each byte that is not UTF-8.  out
 * ends with a 0 byte, and before a character that does not fit in size. */
void escape_text(char *out, size_t size, const char *text, size_t n,
                 const char *keep);

/* The same, to a file. */
void print_escaped(FILE *out, const char *text, size_t n,
                   const char *keep);

/* Write a text that is a result: on a terminal escaped, but for newlines
 * and tabs; to a file or a pipe, byte for byte as it is. */
void show_text(FILE *out, const char *text, size_t n);

#endif
