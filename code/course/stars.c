/* Tangled from chapters/course/grader.nw, "The verdict".  Edit it there. */

#include "course/verdict.h"

int verdict_stars(const struct Verdict *v)
{
    bool within = true, equal = true, better = false;
    if (!v->done || v->wrong[0] || v->problems || v->right < v->cases)
        return 0;
    for (int i = 0; i < v->counts; i++) {
        const struct Count *c = &v->count[i];
        double by = c->by_compiler ? 0.05 * c->book : 0;
        within = within && c->yours <= c->at_most;
        equal = equal && c->yours <= c->book + by;
        better = better || c->yours < c->book - by;
    }
    return !within ? 1 : !equal ? 2 : !better ? 3 : 4;
}
