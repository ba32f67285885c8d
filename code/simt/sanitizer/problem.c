/* Tangled from chapters/workshop/sanitizer-records.nw, "Reports".  Edit it there. */

#include "simt/sanitizer/problem.h"

#include "base/alloc.h"
#include "simt/runtime/names.h"
#include "simt/sanitizer/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the kinds of problem */
static const char *const kinds[] = {
    [PROBLEM_BARRIER] = "barrier",
    [PROBLEM_LANES] = "absent lane",
    [PROBLEM_OUT_OF_BOUNDS] = "out of bounds",
    [PROBLEM_MISALIGNED] = "misaligned",
    [PROBLEM_UNINITIALISED] = "uninitialised",
    [PROBLEM_RACE] = "race",
    [PROBLEM_ASYNC] = "copy not waited for",
    [PROBLEM_LEAK] = "leak",
    [PROBLEM_FREED] = "use after free",
    [PROBLEM_LAUNCH] = "launch",
    [PROBLEM_PHASE] = "barrier phase",
    [PROBLEM_PROXY] = "missing proxy fence",
    [PROBLEM_WGMMA] = "wgmma in flight",
};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_REPORTS = 10 };

/* how often this has been said */
static uint64_t problems[KINDS], notes;
bool notes_count;               /* in the exit status */
static void (*sink)(const char *text);

/* how often this has been said */
struct Reported { enum ProblemKind kind; char place[160]; uint64_t times; };
static struct Reported *said;
static int n_said, said_room;

/* choose where reports go */
void check_reports_to(void (*to)(const char *text))
{
    sink = to;
    n_said = 0;
    memset(problems, 0, sizeof problems);
    notes = 0;
}

static void print(const char *text)
{
    if (sink) {
        sink(text);
        return;
    }
    fflush(stdout);
    fputs(text, stderr);
}

/* names and places of a report */
/* ---- names and places ---- */
/* The path from the working directory, if the file lies below it. */
static const char *near_path(const char *path)
{
    static char here[4096];
    if (!here[0] && !getcwd(here, sizeof here - 1))
        return path;
    size_t n = strlen(here);
    return strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1
                                                         : path;
}

const char *where(const struct Kernel *k, int pc, char *to, size_t room)
{
    const struct Instruction *i = k->code + pc;
    if (pc >= 0 && pc < k->instructions && i->line > 0
        && i->file >= 0 && i->file < k->n_files)
        snprintf(to, room, "%s:%d", near_path(k->files[i->file]), i->line);
    else
        snprintf(to, room, "PTX line %d", pc < k->instructions
                                          ? i->ptx_line : 0);
    return to;
}


/* "thread (1,0,0)" */
const char *thread_text(const struct Dim3 *block, int linear, char *to,
                        size_t room)
{
    unsigned x = (unsigned)linear % block->x;
    unsigned y = (unsigned)linear / block->x;
    snprintf(to, room, "thread (%u,%u,%u)", x, y % block->y, y / block->y);
    return to;
}

const char *block_text(const struct Dim3 *grid, uint64_t linear, char *to,
                       size_t room)
{
    uint64_t y = linear / grid->x;
    snprintf(to, room, "block (%u,%u,%u)", (unsigned)(linear % grid->x),
             (unsigned)(y % grid->y), (unsigned)(y / grid->y));
    return to;
}

/* count what has been said */
static struct Reported *said_of(enum ProblemKind kind, const char *place)
{
    for (int i = 0; i < n_said; i++)
        if (said[i].kind == kind && strcmp(said[i].place, place) == 0)
            return said + i;
    if (n_said == said_room) {
        said_room = 2 * said_room + 16;
        said = xrealloc(said, (size_t)said_room * sizeof *said);
    }
    said[n_said] = (struct Reported){ .kind = kind };
    snprintf(said[n_said].place, sizeof said->place, "%s", place);
    return said + n_said++;
}

/* one report */
/* ---- one report ---- */
/* "thread (3,0,0) and 4 more of block (0,0,0) in saxpy" */
static void who(const struct Warp *w, uint32_t lanes, char *to, size_t room)
{
    const struct Launch *l = w->block->launch;
    int first = lanes ? __builtin_ctz(lanes) : 0;
    int more = lanes ? __builtin_popcount(lanes) - 1 : 0;
    char thread[60], block[60], kernel[80], others[40] = "";
    thread_text(&l->block, w->index * LANES + first, thread, sizeof thread);
    block_text(&l->grid, w->block->linear, block, sizeof block);
    if (more)
        snprintf(others, sizeof others, " and %d more", more);
    plain_name(kernel, sizeof kernel, l->kernel->name);
    snprintf(to, room, "%s%s of %s in %s", thread, others, block, kernel);
}


/* Break lines of more than 76 columns between two words, and begin the
 * next with four spaces. */
static char *wrap(char *text, size_t room)
{
    size_t n = strlen(text), start = 0, space = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            start = i + 1;
        if (text[i] == ' ' && i > start + 4)
            space = i;
        if (i - start < 76 || space <= start || n + 5 > room)
            continue;
        memmove(text + space + 5, text + space + 1, n - space);
        memcpy(text + space, "\n    ", 5);
        n += 4;
        i += 4;
        start = space + 1;
    }
    return text;
}


void check_problem(enum ProblemKind kind, const struct Warp *w,
                   uint32_t lanes, const char *format, ...)
{
    char place[160] = "the host", party[300] = "", text[1400], all[2000];
    if (w) {
        where(w->block->launch->kernel, w->pc, place, sizeof place);
        who(w, lanes, party, sizeof party);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    problems[kind]++;
    notes += kind == PROBLEM_LEAK || (kind == PROBLEM_UNINITIALISED && !w);
    struct Reported *s = said_of(kind, place);
    if (++s->times > MOST_REPORTS)
        return;
    snprintf(all, sizeof all, "%s: %s: %s%s%s\n", place, kinds[kind], party,
             w ? "\n    " : "", text);
    print(wrap(all, sizeof all));
}

/* the last word */
/* ---- the end ---- */
static void say_how_often(void)
{
    char line[300];
    for (int i = 0; i < n_said; i++)
        if (said[i].times > MOST_REPORTS) {
            snprintf(line, sizeof line, "%s: %s: and %llu more of these\n",
                     said[i].place, kinds[said[i].kind],
                     (unsigned long long)said[i].times - MOST_REPORTS);
            print(line);
        }
}


void problems_end(void)
{
    uint64_t all = 0;
    char line[600] = "";
    for (int i = 0; i < KINDS; i++)
        if (problems[i]) {
            size_t n = strlen(line);
            snprintf(line + n, sizeof line - n, "%s%llu %s", n ? ", " : "",
                     (unsigned long long)problems[i], kinds[i]);
            all += problems[i];
        }
    if (!all)
        return;
    say_how_often();
    char text[800];
    snprintf(text, sizeof text, "the sanitizer found %llu problem%s: %s\n",
             (unsigned long long)all, all == 1 ? "" : "s", line);
    print(text);
    fflush(NULL);
    if (all > notes || notes_count)
        _exit(CHECK_STATUS);
}
