/* Tangled from chapters/course/class.nw, "A report".  Edit it there. */

#include "course/report.h"

#include "base/file.h"
#include "course/compile.h"
#include "course/verdict.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* what can be graded */
enum { MOST_BYTES = 1 << 20 };          /* of a source, or a report      */

/* Why what has this name cannot be read as a text; "" if there is nothing,
 * NULL if it can. */
static const char *unreadable(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return errno == ENOENT || errno == ENOTDIR ? "" : "not readable";
    if (!S_ISREG(s.st_mode))
        return "not a file";
    if (s.st_size > MOST_BYTES)
        return "too large";
    return access(path, R_OK) == 0 ? NULL : "not readable";
}

/* grade a file of a folder */
static void judge(struct Graded *g, const char *path, uint64_t seed)
{
    static const char *const says[] = { "wrong", "over its budget",
                                        "right", "as the book", "better" };
    struct Mapped ptx;
    struct Error e;
    struct Verdict v;
    FILE *out = tmpfile();
    snprintf(g->says, sizeof g->says, "does not compile");
    if (!out || !compile_ptx(&ptx, path, &e)) {
        if (out)
            fclose(out);
        return;
    }
    grade_attempt(&(struct Attempt){ .exercise = g->exercise, .seed = seed,
                                     .device = &software_gpu,
                                     .image = (const char *)ptx.data,
                                     .bytes = ptx.size }, out, &v);
    fclose(out);
    unmap_file(&ptx);
    g->stars = verdict_stars(&v);
    snprintf(g->says, sizeof g->says, "%s", v.problems ? "sanitizer" :
             v.ended[0] ? "stopped" : says[g->stars]);
}

/* grade a folder */
static void grade_file(struct Graded *g, const char *path, uint64_t seed)
{
    struct Mapped m;
    struct Error e;
    const char *why = unreadable(path);
    if (!why && !map_file(&m, path, &e))
        why = "not readable";
    if (why) {
        snprintf(g->says, sizeof g->says, "%s", why);
        snprintf(g->digest, sizeof g->digest, "-");
        return;
    }
    digest(g->digest, m.data, m.size);
    unmap_file(&m);
    judge(g, path, seed);
}

bool report_make(struct Report *r, const char *folder, uint64_t seed,
                 struct Error *e)
{
    const struct Exercise *x;
    char name[100], path[FILE_PATH_MAX];
    r->n = 0;
    for (int i = 0; (x = exercise_number(i)); i++) {
        snprintf(name, sizeof name, "%s.cu", x->name);
        if (!path_join(path, folder, name, e))
            return false;
        const char *why = unreadable(path);
        if (why && !*why)
            continue;
        if (r->n == MOST_GRADED)
            return error_set(e, "more than %d exercises", MOST_GRADED);
        struct Graded *g = &r->graded[r->n++];
        *g = (struct Graded){ .exercise = x };
        grade_file(g, path, seed);
    }
    return true;
}

/* print a report */
static int print_graded(char *to, size_t room, const struct Graded *g)
{
    return snprintf(to, room, "%s %d %s\n", g->exercise->name, g->stars,
                    g->digest);
}

void report_print(const struct Report *r, FILE *to)
{
    static char text[MOST_GRADED * 160];
    char all[DIGEST_TEXT];
    size_t n = 0;
    for (int i = 0; i < r->n; i++)
        n += (size_t)print_graded(text + n, sizeof text - n, &r->graded[i]);
    digest(all, text, n);
    fprintf(to, "%s%s\n", text, all);
}

/* read what a student has reported */
/* Does the text have one line that begins with the name, and is it this
 * line?  Both end with a line break. */
static bool claims(const char *text, size_t size, const char *line)
{
    size_t name = strcspn(line, " ") + 1, n = strlen(line);
    int about = 0, same = 0;
    for (const char *at = text, *end = text + size; at < end;) {
        size_t rest = (size_t)(end - at);
        const char *stop = memchr(at, '\n', rest);
        about += rest >= name && memcmp(at, line, name) == 0;
        same += rest >= n && memcmp(at, line, n) == 0;
        at = stop ? stop + 1 : end;
    }
    return about == 1 && same == 1;
}

/* "yes", "no", or "" without a report: does it have this line? */
static const char *reported(const struct Mapped *m, const struct Graded *g)
{
    char line[200];
    if (!m->size)
        return "";
    print_graded(line, sizeof line, g);
    return claims((const char *)m->data, m->size, line) ? "yes" : "no";
}

/* grade a student in a process */
enum { MOST_STUDENTS = 1000 };

struct Student {
    char name[256];
    struct Report report;
    struct Error error;
    bool done;
};

static void grade_student(struct Student *s, const char *dir, uint64_t seed)
{
    char folder[FILE_PATH_MAX];
    if (!freopen("/dev/null", "w", stderr))     /* the compiler's errors */
        _exit(1);
    s->done = path_join(folder, dir, s->name, &s->error) &&
              report_make(&s->report, folder, seed, &s->error);
    _exit(0);
}

/* print the rows of a student */
static const char *same_as(const struct Student *all, int before,
                           const struct Graded *g)
{
    for (int i = 0; i < before; i++)
        for (int k = 0; k < all[i].report.n; k++)
            if (g->digest[0] != '-' &&
                strcmp(all[i].report.graded[k].digest, g->digest) == 0)
                return all[i].name;
    return "";
}

static void print_student(const struct Student *all, int i, const char *dir)
{
    char path[FILE_PATH_MAX], name[300];
    struct Mapped m = { .size = 0 };
    struct Error e;
    snprintf(name, sizeof name, "%s/report.txt", all[i].name);
    bool has = path_join(path, dir, name, &e) && !unreadable(path) &&
               map_file(&m, path, &e);
    for (int k = 0; k < all[i].report.n; k++) {
        const struct Graded *g = &all[i].report.graded[k];
        printf("%s,%s,%d,%s,%s,%s\n", all[i].name, g->exercise->name,
               g->stars, g->says, reported(&m, g), same_as(all, i, g));
    }
    if (!all[i].done || !all[i].report.n)
        printf("%s,,0,%s,,\n", all[i].name,
               all[i].done ? "no exercise found" : "not graded");
    if (has)
        unmap_file(&m);
}

/* grade a class */
static void grade_all(struct Student *s, int n, const char *dir,
                      uint64_t seed)
{
    long most = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
    for (int i = 0; i < n || running;) {
        if (i == n || running >= (most > 0 ? most : 1)) {
            running -= wait(NULL) > 0;
            continue;
        }
        pid_t pid = fork();
        if (pid == 0)
            grade_student(&s[i], dir, seed);
        running += pid > 0;
        i++;
    }
}

static int is_student(const struct dirent *d)
{
    return d->d_name[0] != '.' && d->d_type != DT_REG;
}

/* The names of the folders -> *n students, in memory that processes share;
 * NULL: e says why not. */
static struct Student *students(const char *dir, int *n, struct Error *e)
{
    struct dirent **list = NULL;
    struct Student *s = NULL;
    *n = scandir(dir, &list, is_student, alphasort);
    if (*n <= 0 || *n > MOST_STUDENTS) {
        error_set(e, "%s: expected 1 to %d folders, a student's each, "
                  "found %d%s%s", dir, MOST_STUDENTS, *n < 0 ? 0 : *n,
                  *n < 0 ? ": " : "", *n < 0 ? strerror(errno) : "");
    } else {
        s = mmap(NULL, (size_t)*n * sizeof *s, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (s == MAP_FAILED) {
            s = NULL;
            error_set(e, "no memory for %d students", *n);
        }
    }
    for (int i = 0; i < *n; i++) {
        if (s)
            snprintf(s[i].name, sizeof s->name, "%s", list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return s;
}

static bool name_allowed(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return !strpbrk(name, ",\"") && !strchr("=+-@", name[0]);
}

bool class_grade(const char *dir, uint64_t seed, struct Error *e)
{
    int n = 0;
    struct Student *s = students(dir, &n, e);
    bool ok = s != NULL;
    for (int i = 0; ok && i < n; i++)
        if (!name_allowed(s[i].name))
            ok = error_set(e, "%s/%s: the name of a folder has a comma, a "
                           "quote or a control character, or begins with "
                           "=, +, - or @, which a table cannot hold: "
                           "rename it",
                           dir, s[i].name);
    if (ok) {
        grade_all(s, n, dir, seed);
        puts("student,exercise,stars,verdict,reported,same as");
        for (int i = 0; i < n; i++)
            print_student(s, i, dir);
    }
    if (s)
        munmap(s, (size_t)n * sizeof *s);
    return ok;
}
