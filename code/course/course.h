/* Tangled from chapters/course/grader.nw, "What is trusted".  Edit it there. */

/* A coding exercise, and what its grader asks of a run. */
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include "simt/simt.h"

/* an exercise */
struct Run;

struct Exercise {
    const char *name;           /* "reduction/sum"                       */
    const char *title;
    int difficulty;             /* 1 to 5                                */
    void (*run)(struct Run *);  /* one case                              */
    int size[10];               /* of the cases; 0 ends; the last one of */
                                /*   them is counted                     */
    int largest;                /* of two more sizes, drawn at random    */
    int large;                  /* to be timed with, or 0: not timed     */
    const char *hint[6];        /* shown one at a time                   */
};

/* The n-th, from 0, in the order of the book; NULL behind the last. */
const struct Exercise *exercise_number(int n);
const struct Exercise *exercise_named(const char *name);

/* what a run has to offer */
enum ArrayType { ARRAY_FLOAT, ARRAY_INT, ARRAY_BF16, ARRAY_BYTE };

struct Array {
    const char *name;           /* of the kernel's parameter             */
    enum ArrayType type;
    size_t n;
    union {                     /* the host's half                       */
        float *f;
        int *i;
        uint16_t *h;            /* bf16: the upper half of a float       */
        uint8_t *b;
        void *bytes;
    };
    uint64_t device;
    bool input;                 /* must not change                       */
};

/* The size of this case; a number from low to high; is the case counted,
 * or timed? */
int case_size(const struct Run *);
int case_random(struct Run *, int low, int high);
bool case_counted(const struct Run *);
bool case_timed(const struct Run *);

/* Arrays with random numbers, low <= x < high. */
struct Array *input_floats(struct Run *, const char *name, size_t n,
                           float low, float high);
struct Array *input_ints(struct Run *, const char *name, size_t n, int low,
                         int high);

/* Arrays that the kernel fills; those in which it finds zeros. */
struct Array *output_floats(struct Run *, const char *name, size_t n);
struct Array *output_ints(struct Run *, const char *name, size_t n);
struct Array *zero_floats(struct Run *, const char *name, size_t n);
struct Array *zero_ints(struct Run *, const char *name, size_t n);
/* Arrays of any type: one that is filled by the exercise, and then sent
 * with refill; one that the kernel fills. */
struct Array *input_array(struct Run *, const char *name, enum ArrayType,
                          size_t n);
struct Array *output_array(struct Run *, const char *name, enum ArrayType,
                           size_t n);
/* An input that the kernel may change after all. */
struct Array *in_place(struct Array *);
/* Send the host's half, changed by the exercise, to the device again. */
void refill(struct Run *, struct Array *);

struct Argument {
    union { uint64_t pointer; int i; float f; };
    size_t bytes;
    const char *what;           /* for messages                          */
};
#define ARRAY(a) { .pointer = (a)->device, .bytes = 8, .what = (a)->name }
#define INT(n)   { .i = (n), .bytes = 4, .what = "int " #n }
#define FLOAT(x) { .f = (x), .bytes = 4, .what = "float " #x }

struct Shape { struct Dim3 grid, block; size_t shared; };
/* As many blocks of so many threads as n threads need. */
struct Shape blocks_for(size_t n, int threads);

void launch(struct Run *, const char *kernel, struct Shape,
            const struct Argument *, int n);
#define LAUNCH(run, kernel, shape, ...)                                  \
    launch(run, kernel, shape, (struct Argument[]){ __VA_ARGS__ },       \
           sizeof (struct Argument[]){ __VA_ARGS__ } /                   \
           sizeof(struct Argument))

/* Host memory for a wanted result; freed with the run. */
float *wanted_floats(struct Run *, size_t n);
int *wanted_ints(struct Run *, size_t n);

void expect_floats(struct Run *, struct Array *, const float *wanted,
                   double relative, double absolute);
void expect_ints(struct Run *, struct Array *, const int *wanted);
/* The same bits, of an array of any type. */
void expect_bits(struct Run *, struct Array *, const void *wanted);
/* Anything else that must hold; the sentence says what is wrong. */
void expect(struct Run *, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of the counted case, summed over its launches. */
void budget(struct Run *, const char *what, const char *metric,
            double at_most, double book);

/* Lines of 64 bytes that a cache of 32 KB with 8 ways, which replaces the
 * line unused for longest, fetches for the loads and stores of the counted
 * case.  It is empty at first.  Only for launches of one thread. */
void budget_lines(struct Run *, double at_most, double book);

#endif
