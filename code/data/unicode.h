/* Tangled from chapters/workshop/text-tables.nw, "Letters, numbers and spaces".  Edit it there. */

#ifndef DATA_UNICODE_H
#define DATA_UNICODE_H

#include <stddef.h>
#include <stdint.h>

enum CharClass { CHAR_OTHER, CHAR_LETTER, CHAR_NUMBER, CHAR_SPACE };

/* The class of a code point, by Unicode 15.0. */
enum CharClass code_point_class(uint32_t c);

/* Length of the well-formed UTF-8 sequence at the start of text, 1 to 4,
 * and its code point; 0 if there is none.  Well-formed as in Table 3-7 of
 * the Unicode Standard: shortest form, no surrogate, at most U+10FFFF. */
size_t utf8_decode(uint32_t *c, const uint8_t *text, size_t size);

/* The class of the character at text[0], size > 0, and how many bytes it
 * has.  A byte that does not begin a well-formed sequence is a character
 * of its own, of class CHAR_OTHER. */
enum CharClass char_class(size_t *length, const uint8_t *text, size_t size);

#endif
