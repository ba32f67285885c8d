/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/* Where the piece that begins at byte `at` of the text ends; at < size.
 * Pieces are those of GPT-2's pattern
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+
 *   |\s+(?!\S)|\s+
 * and together cover the text, whatever its bytes.  The time of all calls
 * over a text is proportional to its size. */
size_t piece_end(const uint8_t *text, size_t size, size_t at);

#endif
