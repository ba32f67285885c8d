/* Tangled from chapters/workshop/programs.nw, "A line that says how far".  Edit it there. */

/* progress.h: one line that is rewritten on a terminal, and printed now
 * and then in a file or a pipe. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct ProgressField {
    int  rank;              /* 0 stays; the highest goes first if narrow */
    char text[60];
};

struct Progress {
    FILE *out;
    bool terminal;          /* else whole lines */
    double every_s;         /* seconds between two lines */
    double last_s;
    bool pending;           /* the terminal's line is not ended yet */
};

/* Lines for a file come at least every_s apart, for a terminal 0.1 s. */
void progress_start(struct Progress *p, FILE *out, double every_s);

/* Show a line made of the fields.  With keep it is always shown, and stays
 * on the terminal above the lines to come. */
void progress_show(struct Progress *p, const struct ProgressField *field,
                   int n, bool keep);

/* End the terminal's line: call before other output to the same place. */
void progress_end(struct Progress *p);

/* Join the fields, two spaces apart, leaving out as many of the highest
 * ranks as it takes to fit into width columns (0: any width). */
void progress_join(char *line, size_t size, int width,
                   const struct ProgressField *field, int n);

/* "3:05", "2:03:05" or "3 d 4 h". */
void format_duration(char *text, size_t size, double seconds);

#endif
