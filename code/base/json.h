/* Tangled from chapters/workshop/ground-floor.nw, "JSON, strictly".  Edit it there. */

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum JsonType {
    JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT
};

#define JSON_MAX_DEPTH 32

struct Json {
    enum JsonType type;
    size_t offset;          /* of the value in the source, in bytes */
    const char *key;        /* member of an object: its key, else NULL */
    size_t key_length;
    const char *string;     /* JSON_STRING: UTF-8, ends with a 0 byte; */
    size_t length;          /*   length, since it may contain others   */
    double number;          /* JSON_NUMBER */
    bool is_count;          /* a whole number from 0 to 2^64 - 1 ...   */
    uint64_t count;         /*   which is this                         */
    bool boolean;           /* JSON_BOOL */
    size_t children;        /* JSON_ARRAY, JSON_OBJECT */
    struct Json *first;     /* first child, then its next, ... */
    struct Json *next;
};

struct JsonDocument {
    struct Json *root;
    struct Json *nodes;
    char *strings;
};

/* Parse size bytes of text.  name stands in messages ("FILE: header").
 * On success free with json_free; on failure nothing is left to free. */
bool json_parse(struct JsonDocument *doc, const char *name,
                const char *text, size_t size, struct Error *e);
void json_free(struct JsonDocument *doc);

/* The member of an object with this key, or NULL (also when value is NULL
 * or no object). */
const struct Json *json_get(const struct Json *value, const char *key);

#endif
