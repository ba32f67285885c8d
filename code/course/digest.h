/* Tangled from chapters/course/class.nw, "The hash of a file".  Edit it there. */

/* SHA-256 of FIPS 180-4. */
#ifndef COURSE_DIGEST_H
#define COURSE_DIGEST_H

#include <stddef.h>

enum { DIGEST_TEXT = 65 };      /* 64 digits and a 0                     */

/* The hash of the bytes, in hexadecimal. */
void digest(char to[DIGEST_TEXT], const void *bytes, size_t n);

#endif
