/* Tangled from chapters/course/grader.nw, "Where a case is played".  Edit it there. */

/* What plays the cases: the software GPU, or a real one. */
#ifndef COURSE_DEVICE_H
#define COURSE_DEVICE_H

#include "course/course.h"
#include "course/timing.h"

struct Device {
    bool (*open)(struct Error *e);      /* once in a process             */
    /* Read the kernels, anew for each case. */
    bool (*load)(const char *image, size_t bytes, struct Error *e);
    void (*unload)(void);
    /* The kernel of this plain name, or NULL; the bytes of its parameter
     * i, from 0, or 0 behind the last one. */
    const void *(*kernel)(const char *name);
    size_t (*parameter)(const void *kernel, int i);
    /* memory and launches of a device */
    /* Memory of at least one byte; nothing is defined in it. */
    bool (*alloc)(uint64_t *address, size_t bytes, struct Error *e);
    void (*release)(uint64_t address);
    bool (*store)(uint64_t to, const void *from, size_t bytes,
                  struct Error *e);
    bool (*fetch)(void *to, uint64_t from, size_t bytes, struct Error *e);
    /* To the end of the kernel; args[i] points at argument i. */
    bool (*launch)(const void *kernel, struct Shape, void **args,
                   struct Error *e);
    /* Measure launches that were made, once more; NULL: without a clock. */
    bool (*time)(struct Timing *, const struct Again *, struct Error *e);
};
extern const struct Device software_gpu, real_gpu;

#endif
