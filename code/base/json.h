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
#define JSON_MAX_BYTES (8 << 20)
#define JSON_MAX_VALUES(bytes) (1024 + (bytes) / 4)

/* Look at the type before a member of the union is read. */
struct Json {
    enum JsonType type : 8;
    bool boolean;           /* JSON_BOOL */
    bool is_count;          /* JSON_NUMBER: a whole number, 0 to 2^64 - 1 */
    uint32_t key_length;
    size_t offset;          /* of the value in the source, in bytes */
    const char *key;        /* member of an object: its key, else NULL */
    struct Json *next;      /* the next child of the same parent */
    union {
        struct {            /* JSON_NUMBER */
            double number;
            uint64_t count;         /* if is_count: the same, exactly */
        };
        struct {            /* JSON_STRING */
            const char *string;     /* UTF-8, ends with a 0 byte ... */
            uint32_t length;        /* and may contain others */
        };
        struct {            /* JSON_ARRAY, JSON_OBJECT */
            struct Json *first;     /* child, then its next, ... */
            uint32_t children;
        };
    };
};

struct JsonDocument {
    struct Json *root;
    struct Json *nodes;
    char *strings;
};

/* Parse size bytes of text, at most JSON_MAX_BYTES with at most
 * JSON_MAX_VALUES(size) values.  Takes less than 17 bytes of memory for
 * each byte of text.  name stands in messages ("FILE: header").  On success
 * free with json_free; on failure nothing is left to free. */
bool json_parse(struct JsonDocument *doc, const char *name,
                const char *text, size_t size, struct Error *e);
void json_free(struct JsonDocument *doc);

/* The same for the text of a file. */
bool json_parse_file(struct JsonDocument *doc, const char *path,
                     struct Error *e);

/* The member of an object with this key, or NULL (also when value is NULL
 * or no object). */
const struct Json *json_get(const struct Json *value, const char *key);

#endif
