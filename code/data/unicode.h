/* Tangled from chapters/workshop/text-tables.nw, "Letters, numbers and spaces".  Edit it there. */

#ifndef DATA_UNICODE_H
#define DATA_UNICODE_H

#include <stddef.h>
#include <stdint.h>

enum CharClass { CHAR_OTHER, CHAR_LETTER, CHAR_NUMBER, CHAR_SPACE };

/* The class of a code point, by Unicode 15.0. */
enum CharClass code_point_class(uint32_t c);

/* The class of the character at text[0], size > 0, and how many bytes it
 * has.  A byte that does not begin a well-formed sequence is a character
 * of its own, of class CHAR_OTHER. */
enum CharClass char_class(size_t *length, const uint8_t *text, size_t size);

#endif
