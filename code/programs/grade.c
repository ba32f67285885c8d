/* Tangled from chapters/course/grader.nw, "The program".  Edit it there. */

/* grade: is the kernel of an exercise right, without races, and lean? */
#include "base/args.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "course/compile.h"
#include "course/gpu.h"
#include "course/progress.h"
#include "course/report.h"
#include "course/verdict.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* find the files of an exercise */
static const char *called = "grade";    /* as the reader has called it   */
static const char *folder;

static void find_folder(void)
{
    static char here[FILE_PATH_MAX];
    char kept[FILE_PATH_MAX + 20];
    folder = "exercises";
    if (!getcwd(here, sizeof here))
        return;
    for (char *slash; (slash = strrchr(here, '/')); *slash = 0) {
        snprintf(kept, sizeof kept, "%s/progress.txt", here);
        if (strcmp(slash, "/exercises") == 0 && access(kept, F_OK) == 0) {
            folder = here;
            return;
        }
    }
}

/* the answer to an exercise */

struct Answer {
    const struct Exercise *exercise;
    char path[FILE_PATH_MAX];   /* of the reader's file                  */
};

static bool is_ptx(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".ptx") == 0;
}

static void file_of(char to[FILE_PATH_MAX], const char *name)
{
    int n = snprintf(to, FILE_PATH_MAX, "%s/%s.cu", folder, name);
    if (n >= FILE_PATH_MAX)
        misuse("--in %s: the path is too long", folder);
}

/* `kind` is "start" or "solution".  False: it is not there. */
static bool file_of_course(char to[FILE_PATH_MAX], const char *kind,
                           const char *name)
{
    static const char *const places[] = { "../../code/course", ".." };
    char dir[FILE_PATH_MAX / 2];
    struct Error e;
    if (!program_dir(dir, sizeof dir, &e))
        fail("%s", e.text);
    for (int i = 0; i < 2; i++) {
        snprintf(to, FILE_PATH_MAX, "%s/%s/%s/%s.cu", dir, places[i], kind,
                 name);
        if (access(to, R_OK) == 0)
            return true;
    }
    return false;
}

/* "exercises/reduction/sum.cu" -> the exercise reduction/sum, or NULL. */
static const struct Exercise *exercise_of_path(const char *path)
{
    const struct Exercise *x;
    const char *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".cu") != 0 && strcmp(dot, ".ptx") != 0))
        return NULL;
    size_t n = (size_t)(dot - path);
    for (int i = 0; (x = exercise_number(i)); i++) {
        size_t m = strlen(x->name);
        if (n >= m && (n == m || path[n - 1 - m] == '/') &&
            strncmp(path + n - m, x->name, m) == 0)
            return x;
    }
    return NULL;
}

static struct Answer find_answer(const char *word)
{
    char real[PATH_MAX];
    struct Answer w = { .exercise = exercise_named(word) };
    if (w.exercise) {
        file_of(w.path, word);
        return w;
    }
    w.exercise = exercise_of_path(word);
    if (!w.exercise && realpath(word, real))
        w.exercise = exercise_of_path(real);
    if (!w.exercise)
        misuse("'%s' is not an exercise, nor a file whose path ends in the "
               "name of one, like reduction/sum.cu; %s --list names them",
               word, called);
    if (snprintf(w.path, sizeof w.path, "%s", word) >= FILE_PATH_MAX)
        misuse("%s: the path is too long", word);
    return w;
}

/* print a verdict */
static void print_stars(int stars)
{
    for (int i = 0; i < 4; i++)
        fputs(i < stars ? "\xe2\x98\x85" : "\xe2\x98\x86", stdout);
}

/* What the kernels have printed: the first lines, each with a mark. */
static void print_output(FILE *out)
{
    char line[200];
    int lines = 0;
    rewind(out);
    while (fgets(line, sizeof line, out) && lines++ < 12) {
        fputs("  kernel | ", stdout);
        print_escaped(stdout, line, strcspn(line, "\n"), "");
        putchar('\n');
    }
    if (lines > 12)
        printf("  kernel | ...\n");
}

static void print_shares(const struct Count *c, const char *path)
{
    const struct Share *s = c->share;
    if (!s[0].line)
        return;
    printf("      %s:%d has %.0f of them", path, s[0].line, s[0].of_line);
    if (s[1].line)
        printf(", line %d has %.0f", s[1].line, s[1].of_line);
    putchar('\n');
}

static void print_counts(const struct Verdict *v, const char *path)
{
    printf("\n  %-34s %12s %12s %12s\n", "counts", "yours", "budget",
           "book");
    for (int i = 0; i < v->counts; i++) {
        const struct Count *c = &v->count[i];
        bool over = c->yours > c->at_most;
        printf("  %-34s %12.0f %12.0f %12.0f%s\n", c->what, c->yours,
               c->at_most, c->book, over ? "  over" : "");
        if (over)
            print_shares(c, is_ptx(path) ? "its source" : path);
    }
}

static void print_problems(const struct Verdict *v)
{
    int more = v->problems - v->shown;
    for (int i = 0; i < v->shown; i++)
        printf("  %s", v->problem[i]);
    if (more)
        printf("  and %d more report%s\n", more, more == 1 ? "" : "s");
}

/* Of the case played last: "n = 96", or what it was launched with. */
static const char *case_text(const struct Verdict *v)
{
    static char text[100];
    snprintf(text, sizeof text, "n = %d", v->n);
    return v->with[0] ? v->with : text;
}

static void print_verdict(const struct Answer *w, const struct Verdict *v)
{
    static const char *const words[] = {
        "not right yet", "right, but over its budget",
        "right and within its budget", "as good as the book",
        "better than the book: please send it to us",
    };
    int stars = verdict_stars(v);
    printf("%s: %s\n\n", w->exercise->name, w->exercise->title);
    if (v->ended[0])
        printf("  %s: %s\n", case_text(v), v->ended);
    else if (v->problems)
        printf("  %s: the sanitizer reports\n", case_text(v));
    print_problems(v);
    if (v->wrong[0])
        printf("  %s: %s\n", case_text(v), v->wrong);
    if (stars) {
        printf("  right in %d cases, no report of the sanitizer\n"
               "  counted in the last case: %s\n", v->right, case_text(v));
        print_counts(v, w->path);
    }
    putchar('\n');
    printf("  ");
    print_stars(stars);
    printf("  %s\n", words[stars]);
    if (stars < 3)
        printf("  %s --hint %s gives a hint\n", called,
               w->exercise->name);
}

/* write the stars for the pages of the book */
static int stars_of(const struct Progress *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->result[i].name, name) == 0)
            return p->result[i].stars;
    return 0;
}

static bool write_page_script(const char *dir, const struct Progress *p,
                              struct Error *e)
{
    struct Writer out;
    char path[FILE_PATH_MAX], line[300];
    const struct Exercise *x;
    if (!path_join(path, dir, "progress.js", e) ||
        !writer_open(&out, path, e))
        return false;
    writer_write(&out, "showStars([\n", 12);
    for (int i = 0; (x = exercise_number(i)); i++) {
        int n = snprintf(line, sizeof line, "[\"%s\", \"%s\", %d, %d],\n",
                         x->name, x->title, x->difficulty,
                         stars_of(p, x->name));
        writer_write(&out, line, (size_t)n);
    }
    writer_write(&out, "]);\n", 4);
    return writer_commit(&out, e);
}

/* keep the progress */
static struct Progress progress;

static void progress_path(char to[FILE_PATH_MAX])
{
    struct Error e;
    if (!path_join(to, folder, "progress.txt", &e))
        misuse("%s", e.text);
}

static void load_progress(void)
{
    char path[FILE_PATH_MAX];
    struct Error e;
    progress_path(path);
    if (!progress_read(&progress, path, &e))
        fail("%s", e.text);
}

static void save_progress(void)
{
    char path[FILE_PATH_MAX];
    struct Error e;
    progress_path(path);
    if (!make_dirs(folder, &e) || !progress_write(&progress, path, &e) ||
        !write_page_script(folder, &progress, &e))
        fail("%s", e.text);
}

static struct Result *result_of(const char *name)
{
    struct Result *r = progress_of(&progress, name);
    if (!r)
        fail("%s/progress.txt has too many lines", folder);
    return r;
}

/* begin an exercise */
/* The bytes of the first line, "Tangled from", and the empty one. */
static size_t heading(const char *text, size_t size)
{
    const char *end = memmem(text, size, "\n\n", 2);
    return size > 3 && strncmp(text, "/* Tangled", 10) == 0 && end
           ? (size_t)(end - text) + 2 : 0;
}

/* Put the starting file where the reader's is to be.  True if it was put
 * there now. */
static bool begin(const struct Answer *w)
{
    char start[FILE_PATH_MAX], dir[FILE_PATH_MAX];
    struct Mapped m;
    struct Error e;
    if (access(w->path, F_OK) == 0 || is_ptx(w->path))
        return false;
    if (!file_of_course(start, "start", w->exercise->name))
        fail("the starting file of %s is not there: %s", w->exercise->name,
             start);
    if (!path_dir(dir, w->path, &e) || !make_dirs(dir, &e) ||
        !map_file(&m, start, &e))
        fail("%s", e.text);
    size_t from = heading((const char *)m.data, m.size);
    if (!write_file(w->path, m.data + from, m.size - from, &e))
        fail("%s", e.text);
    unmap_file(&m);
    printf("%s: %s\n\nThe starting file is %s.  Its comment says what is\n"
           "asked for.  Change it, and grade it:  %s %s\n",
           w->exercise->name, w->exercise->title, w->path, called,
           w->exercise->name);
    save_progress();
    return true;
}

/* show the course */
static void show_course(void)
{
    char chapter[80] = "";
    int stars = 0, all = 0;
    const struct Exercise *x;
    for (; (x = exercise_number(all)); all++) {
        size_t n = strcspn(x->name, "/");
        int have = result_of(x->name)->stars;
        if (strncmp(chapter, x->name, n) != 0 || chapter[n])
            printf("%s%.*s\n", all ? "\n" : "", (int)n, x->name);
        snprintf(chapter, sizeof chapter, "%.*s", (int)n, x->name);
        printf("  ");
        print_stars(have);
        printf("  %-24s %s%s\n", x->name + n + 1, x->title,
               x->difficulty > 3 ? " (hard)" : "");
        stars += have > 3 ? 3 : have;
    }
    printf("\n%d of %d stars: one for a right kernel, two within its "
           "budget, three for one\nas good as the book's; the fourth is "
           "for a better one, and is not in the sum.\n"
           "Begin one, or grade it:  %s CHAPTER/NAME\n", stars, 3 * all,
           called);
}

/* give a hint */
static void give_hint(const struct Exercise *x)
{
    struct Result *p = result_of(x->name);
    int n = 0;
    while (n < MOST_HINTS && x->hint[n])
        n++;
    if (p->hints < n)
        p->hints++;
    for (int i = 0; i < p->hints; i++)
        printf("%d. %s\n", i + 1, x->hint[i]);
    if (p->hints == n)
        printf("There is no further hint.\n");
    save_progress();
}

/* grade one file */
/* -> its stars */
static int grade_answer(const struct Answer *w, const char *space,
                        uint64_t seed)
{
    struct Mapped ptx;
    struct Error e;
    struct Verdict v;
    FILE *out = tmpfile();
    if (!out)
        fail("cannot make a temporary file: %s", strerror(errno));
    if (is_ptx(w->path) ? !map_file(&ptx, w->path, &e)
                        : !compile_ptx(&ptx, w->path, &e))
        fail("%s", e.text);
    struct Attempt a = { .exercise = w->exercise, .space = space,
                         .device = &software_gpu,
                         .image = (const char *)ptx.data,
                         .bytes = ptx.size, .seed = seed };
    grade_attempt(&a, out, &v);
    print_output(out);
    print_verdict(w, &v);
    fclose(out);
    unmap_file(&ptx);
    int stars = verdict_stars(&v);
    struct Result *p = result_of(w->exercise->name);
    if (stars > p->stars) {
        p->stars = stars;
        save_progress();
    }
    return stars;
}

/* time one file */
/* Play the file's cases on the GPU -> v.  False: it was not played. */
static bool play_on_card(struct Verdict *v, const struct Attempt *as,
                         const char *path, const struct Card *card,
                         struct Error *e)
{
    struct Mapped image;
    struct Attempt a = *as;
    FILE *out = tmpfile();
    if (!out)
        return error_set(e, "cannot make a temporary file: %s",
                         strerror(errno));
    bool ok = is_ptx(path) ? map_file(&image, path, e)
                           : compile_cubin(&image, path, card->kind, e);
    if (ok) {
        a.image = (const char *)image.data;
        a.bytes = image.size;
        grade_attempt(&a, out, v);
        unmap_file(&image);
    }
    fclose(out);
    return ok;
}

/* Why a verdict is not "right", or NULL. */
static const char *not_right(const struct Verdict *v)
{
    return v->ended[0] ? v->ended : v->wrong[0] ? v->wrong : NULL;
}

static void print_time(const char *what, const struct Spread *s,
                       const struct Timing *t)
{
    printf("  %-22s %10.1f us %10.1f -%8.1f %7.0f GB/s %5.0f %%\n", what,
           s->median, s->low, s->high, t->bytes / 1e3 / s->median,
           100 * t->copy.median / s->median);
}

static void print_times(const struct Card *card, const struct Verdict *v,
                        const struct Verdict *book)
{
    const struct Timing *t = &v->timing;
    printf("\n  %s, n = %d, L2 overwritten before each of 25 runs\n",
           card->name, v->n);
    print_time("yours", &t->launches, t);
    if (book)
        print_time("the book's", &book->timing.launches, &book->timing);
    char copy[40];
    snprintf(copy, sizeof copy, "a copy of %.1f MB", t->bytes / 2e6);
    print_time(copy, &t->copy, t);
}

static void time_on_card(const struct Answer *w, const struct Attempt *as,
                         const struct Card *card)
{
    struct Verdict yours, book;
    struct Attempt of_book = *as;
    struct Error e;
    char path[FILE_PATH_MAX];
    of_book.space = NULL;
    if (!play_on_card(&yours, as, w->path, card, &e)) {
        printf("\n  not timed: %s\n", e.text);
        return;
    }
    if (not_right(&yours)) {
        printf("\n  %s, n = %d: %s\n", card->name, yours.n,
               not_right(&yours));
        return;
    }
    bool has = file_of_course(path, "solution", w->exercise->name) &&
               play_on_card(&book, &of_book, path, card, &e) &&
               !not_right(&book);
    print_times(card, &yours, has ? &book : NULL);
}

/* A GPU and nvcc are there -> card. */
static bool can_time(struct Card *card, struct Error *e)
{
    char nvcc[FILE_PATH_MAX];
    return find_card(card, e) && find_program(nvcc, "NVCC", "nvcc", e);
}

static void time_answer(const struct Answer *w, const char *its_space,
                        uint64_t its_seed, int stars, bool asked)
{
    struct Card card;
    struct Error e;
    struct Attempt a = { .exercise = w->exercise, .device = &real_gpu,
                         .space = its_space, .seed = its_seed,
                         .timed_only = true };
    if (stars == 0)
        error_set(&e, "only a kernel that is right is timed");
    else if (!w->exercise->large)
        error_set(&e, "%s has no size to be timed with: its grid is too "
                  "small for a GPU, or bytes are not its ceiling",
                  w->exercise->name);
    else if (can_time(&card, &e)) {
        time_on_card(w, &a, &card);
        return;
    }
    if (asked)
        printf("\n  not timed: %s\n", e.text);
}

/* There is a GPU but no clang: grade by the GPU alone.  False: no. */
static bool only_real_gpu(const struct Answer *w, const char *its_space,
                          uint64_t its_seed, bool asked)
{
    struct Card card;
    struct Error e;
    struct Verdict v;
    char clang[FILE_PATH_MAX];
    struct Attempt a = { .exercise = w->exercise, .device = &real_gpu,
                         .space = its_space, .seed = its_seed };
    if (is_ptx(w->path) || find_program(clang, "CLANG", "clang", &e) ||
        !can_time(&card, &e))
        return false;
    if (!play_on_card(&v, &a, w->path, &card, &e))
        fail("%s", e.text);
    printf("%s: %s\n\n", w->exercise->name, w->exercise->title);
    if (not_right(&v))
        printf("  n = %d: %s\n", v.n, not_right(&v));
    else
        printf("  right in %d cases on %s\n", v.right, card.name);
    puts("  no stars: races and counts need the software GPU, which needs "
         "clang");
    if (!not_right(&v))
        time_answer(w, its_space, its_seed, 1, asked);
    return true;
}

/* read the command line of grade */
static bool hint, list, report, clock_wanted;
static const char *class;
static const char *space;
static int64_t seed = -1;

static const struct Option options[] = {
    { .name = "hint", .type = OPT_FLAG, .target = &hint,
      .help = "one hint more for the exercise" },
    { .name = "list", .type = OPT_FLAG, .target = &list,
      .help = "the whole course, with your stars" },
    { .name = "report", .type = OPT_FLAG, .target = &report,
      .help = "grade all your files; stars and hashes, for a teacher" },
    { .name = "class", .type = OPT_STRING, .target = &class,
      .arg = "FOLDER", .help = "grade the students in this folder; CSV" },
    { .name = "in", .type = OPT_STRING, .target = &folder, .arg = "FOLDER",
      .help = "where your files are (default: exercises)" },
    { .name = "namespace", .type = OPT_STRING, .target = &space,
      .arg = "NAME", .help = "the kernels of this namespace of the file" },
    { .name = "time", .type = OPT_FLAG, .target = &clock_wanted,
      .help = "say why a real GPU does not time it, if none does" },
    { .name = "seed", .type = OPT_INT64, .target = &seed, .min = 0,
      .max = 1e15, .arg = "N", .help = "numbers as in an earlier run" },
    { .type = OPT_END },
};

static const struct Usage usage = {
    .synopsis = "[options] NAME|FILE.cu|FILE.ptx",
    .summary = "Grade the kernel of an exercise: is it right, without "
               "races, and lean?",
    .more = "Exit status: 0 right and within the budget, 1 not yet, 2 a "
            "mistake in the request.",
};

/* --report and --class, which take no word besides. */
static int grade_many(int words)
{
    static struct Report all;
    struct Error e;
    if (words || (report && class))
        misuse("--report and --class stand alone; --in names a student's "
               "folder");
    if (class ? !class_grade(class, (uint64_t)seed, &e)
              : !report_make(&all, folder, (uint64_t)seed, &e))
        fail("%s", e.text);
    if (report)
        report_print(&all, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    program_set_name(argv[0]);
    called = argv[0];
    int n = args_parse(argc, argv, options, &usage);
    if (!folder)
        find_folder();
    if (seed < 0)
        seed = (int64_t)(now_s() * 1e6) % 1000000000;
    if (report || class)
        return grade_many(n);
    load_progress();
    if (list || n == 0) {
        show_course();
        return 0;
    }
    if (n > 1)
        misuse("one exercise at a time: %s or %s?", argv[0], argv[1]);
    struct Answer w = find_answer(argv[0]);
    if (hint) {
        give_hint(w.exercise);
        return 0;
    }
    if (begin(&w))
        return 1;
    if (only_real_gpu(&w, space, (uint64_t)seed, clock_wanted))
        return 1;
    int stars = grade_answer(&w, space, (uint64_t)seed);
    time_answer(&w, space, (uint64_t)seed, stars, clock_wanted);
    printf("  the same numbers again: --seed %lld\n", (long long)seed);
    return stars >= 2 ? 0 : 1;
}
