/* Tangled from chapters/course/grader.nw, "The program".  Edit it there. */

#include "course/progress.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* find a result */
static struct Result *result_named(struct Progress *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->result[i].name, name) == 0)
            return &p->result[i];
    return NULL;
}

struct Result *progress_of(struct Progress *p, const char *name)
{
    struct Result *r = result_named(p, name);
    if (r || p->n == MOST_RESULTS)
        return r;
    r = &p->result[p->n++];
    *r = (struct Result){ .stars = 0 };
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

/* read a line of the progress */
struct Line {
    const char *path;
    int number;
    const char *at, *end;       /* what is not read yet                  */
};

/* The next word, up to a space or the end of the line; without one, "".
 * False: it does not fit, or has a 0 in it. */
static bool next_word(struct Line *l, char *to, size_t room)
{
    const char *space = memchr(l->at, ' ', (size_t)(l->end - l->at));
    const char *stop = space ? space : l->end;
    size_t n = (size_t)(stop - l->at), kept = n < room ? n : room - 1;
    memcpy(to, l->at, kept);
    to[kept] = 0;
    l->at = space ? space + 1 : stop;
    return strlen(to) == n;
}

static bool line_error(const struct Line *l, const char *value,
                       const char *expected, struct Error *e)
{
    return error_set(e, "%s, line %d: '%s' is not %s; a line is NAME STARS "
                     "HINTS, like \"reduction/sum 3 1\". Correct or remove "
                     "the line; nothing was written", l->path, l->number,
                     value, expected);
}

/* One digit, 0 to most. */
static bool next_digit(struct Line *l, int *to, int most,
                       const char *expected, struct Error *e)
{
    char word[80];
    if (!next_word(l, word, sizeof word) || strlen(word) != 1 ||
        word[0] < '0' || word[0] > '0' + most)
        return line_error(l, word, expected, e);
    *to = word[0] - '0';
    return true;
}

static bool read_line(struct Progress *p, struct Line *l, struct Error *e)
{
    struct Result r;
    char word[80];
    if (!next_word(l, r.name, sizeof r.name) || !strchr(r.name, '/'))
        return line_error(l, r.name, "the name of an exercise", e);
    if (!next_digit(l, &r.stars, 4, "a number of stars, 0 to 4", e) ||
        !next_digit(l, &r.hints, MOST_HINTS, "a number of hints, 0 to 6",
                    e))
        return false;
    if (!next_word(l, word, sizeof word) || word[0] || l->at < l->end)
        return line_error(l, word, "the end of the line", e);
    if (result_named(p, r.name))
        return line_error(l, r.name, "named for the first time", e);
    if (p->n == MOST_RESULTS)
        return line_error(l, r.name, "one of the first 400", e);
    p->result[p->n++] = r;
    return true;
}

/* read the progress */
bool progress_read(struct Progress *p, const char *path, struct Error *e)
{
    struct Mapped m;
    bool ok = true;
    p->n = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (!map_file(&m, path, e))
        return false;
    struct Line l = { .path = path };
    const char *at = (const char *)m.data, *end = at + m.size;
    while (ok && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        l.number++;
        l.at = at;
        l.end = stop ? stop : end;
        at = stop ? stop + 1 : end;
        ok = read_line(p, &l, e);
    }
    unmap_file(&m);
    return ok;
}

/* write the progress */
bool progress_write(const struct Progress *p, const char *path,
                    struct Error *e)
{
    struct Writer out;
    char line[120];
    if (!writer_open(&out, path, e))
        return false;
    for (int i = 0; i < p->n; i++) {
        const struct Result *r = &p->result[i];
        int n = snprintf(line, sizeof line, "%s %d %d\n", r->name, r->stars,
                         r->hints);
        writer_write(&out, line, (size_t)n);
    }
    return writer_commit(&out, e);
}
