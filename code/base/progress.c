/* Tangled from chapters/workshop/programs.nw, "A line that says how far".  Edit it there. */

#include "base/progress.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_start(struct Progress *p, FILE *out, double every_s)
{
    const char *term = getenv("TERM");
    *p = (struct Progress){ .out = out, .last_s = -1e9 };
    p->terminal = isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
    p->every_s = p->terminal ? 0.1 : every_s;
}

static int terminal_width(FILE *out)
{
    struct winsize w;
    if (ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
        return w.ws_col;
    return 80;
}

static size_t join_up_to(char *line, size_t size, int rank,
                         const struct ProgressField *field, int n)
{
    size_t used = 0;
    line[0] = 0;
    for (int i = 0; i < n; i++) {
        if (field[i].rank > rank || !field[i].text[0])
            continue;
        int more = snprintf(line + used, size - used, "%s%s",
                            used ? "  " : "", field[i].text);
        used += (size_t)more;
        if (used >= size)
            return size - 1;
    }
    return used;
}

void progress_join(char *line, size_t size, int width,
                   const struct ProgressField *field, int n)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        if (field[i].rank > rank)
            rank = field[i].rank;
    size_t used = join_up_to(line, size, rank, field, n);
    while (width > 0 && used > (size_t)width && rank > 0)
        used = join_up_to(line, size, --rank, field, n);
    if (width > 0 && used > (size_t)width)
        line[width] = 0;
}

void progress_show(struct Progress *p, const struct ProgressField *field,
                   int n, bool keep)
{
    char line[512];
    double now = now_s();
    if (!keep && now - p->last_s < p->every_s)
        return;
    p->last_s = now;
    int width = p->terminal ? terminal_width(p->out) - 1 : 0;
    progress_join(line, sizeof line, width, field, n);
    if (p->terminal)
        fprintf(p->out, "\r%s\033[K%s", line, keep ? "\n" : "");
    else
        fprintf(p->out, "%s\n", line);
    fflush(p->out);
    p->pending = p->terminal && !keep;
}

void progress_end(struct Progress *p)
{
    if (p->pending)
        fputc('\n', p->out);
    fflush(p->out);
    p->pending = false;
}

void format_duration(char *text, size_t size, double seconds)
{
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(text, size, "?");
        return;
    }
    long s = (long)(seconds + 0.5), minutes = s / 60, hours = s / 3600;
    if (hours >= 48)
        snprintf(text, size, "%ld d %ld h", hours / 24, hours % 24);
    else if (hours > 0)
        snprintf(text, size, "%ld:%02ld:%02ld", hours, minutes % 60,
                 s % 60);
    else
        snprintf(text, size, "%ld:%02ld", minutes, s % 60);
}
