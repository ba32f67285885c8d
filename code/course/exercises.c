/* Tangled from chapters/course/grader.nw, "The list".  Edit it there. */

#include "course/course.h"

#include <stddef.h>
#include <string.h>

/* One array a chapter, in the order of the book; an entry without a name
 * ends each. */
#define EACH_CHAPTER(X)                                                  \
    X(memory_wall)                                                       \
    X(throughput_machine)                                                \
    X(memory_hierarchy)                                                  \
    X(warps)                                                             \
    X(counting)                                                          \
    X(races)                                                             \
    X(roofline)                                                          \
    X(profiling)                                                         \
    X(reduction)                                                         \
    X(matmul)                                                            \
    X(tensor_cores)                                                      \
    X(low_precision)                                                     \
    X(fusion)                                                            \
    X(recomputation)                                                     \
    X(sparsity)                                                          \
    X(text_and_tokens)                                                   \
    X(operators)                                                         \
    X(model)                                                             \
    X(training)                                                          \
    X(cpu_matmul)                                                        \
    X(attention)                                                         \
    X(attention_on_hopper)                                               \
    X(attention_backward)                                                \
    X(operators_on_the_gpu)                                              \
    X(gpt2_on_the_gpu)                                                   \
    X(fused_operators)                                                   \
    X(products_of_a_step)                                                \
    X(single_precision)                                                  \
    X(project)

#define DECLARE(chapter) extern const struct Exercise chapter##_exercises[];
EACH_CHAPTER(DECLARE)
#define NAME(chapter) chapter##_exercises,
static const struct Exercise *const chapters[] = { EACH_CHAPTER(NAME) };
enum { CHAPTERS = sizeof chapters / sizeof *chapters };

const struct Exercise *exercise_number(int n)
{
    for (int c = 0; c < CHAPTERS; c++)
        for (const struct Exercise *x = chapters[c]; x->name; x++)
            if (n-- == 0)
                return x;
    return NULL;
}

const struct Exercise *exercise_named(const char *name)
{
    const struct Exercise *x;
    for (int i = 0; (x = exercise_number(i)); i++)
        if (strcmp(x->name, name) == 0)
            return x;
    return NULL;
}
