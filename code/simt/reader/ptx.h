/* Tangled from chapters/workshop/ptx.nw, "What a text becomes".  Edit it there. */

/* PTX as read, before it is made to run: functions, statements, operands.
 * Inside the software GPU only: ptx.c writes these, decode.c reads them. */
#ifndef SIMT_READER_PTX_H
#define SIMT_READER_PTX_H

#include "simt/simt.h"

/* memory that goes all at once */
/* Everything read from one text lives in one pool and is freed with it. */
struct Pool { struct PoolBlock *last; size_t total; };
void *pool_alloc(struct Pool *, size_t bytes);  /* zeroed                */
void pool_free(struct Pool *);
/* Make room for one more of size bytes behind n; moves the array. */
void *pool_grow(struct Pool *, void *array, int n, int *room, size_t size);

/* the types of PTX */
enum Type {
    TYPE_NONE, U8, S8, B8, U16, S16, B16, F16, BF16, U32, S32, B32, F32,
    F16X2, BF16X2, TF32, U64, S64, B64, F64, PRED, TYPES,
};
extern const char *const type_names[TYPES];
int type_bytes(enum Type);                      /* PRED: 0               */
enum Type type_named(const char *name, size_t length);  /* or TYPE_NONE  */

/* variables and registers as read */
struct Variable {
    const char *name;
    enum Space space;
    size_t bytes, align;
    bool external;              /* extern __shared__ x[]                 */
    const unsigned char *start; /* initial bytes, or NULL                */
    struct Start *starts;       /* and initial addresses                 */
    uint64_t address;           /* of a global or constant variable      */
    uint64_t place;             /* of another: offset, set by decode.c   */
    int kernel;                 /* ... for this kernel                   */
};

/* Bytes [at] to [at + 7] of a variable start as an address. */
struct Start { size_t at; const char *name; uint64_t add;
               struct Start *next; };

/* .reg .f32 %f<12> declares twelve registers, %f0 to %f11. */
struct Registers {
    const char *prefix;
    size_t length;
    enum Type type;
    int count;                  /* -1: one, whose name is the prefix     */
    int first;                  /* number of the first in its function   */
};

/* operands as read */
enum OperandKind {
    OPERAND_REGISTER, OPERAND_NUMBER, OPERAND_FLOAT, OPERAND_DOUBLE,
    OPERAND_SPECIAL,            /* %tid.x: name                          */
    OPERAND_VARIABLE,           /* its address; value is added           */
    OPERAND_NAME,               /* a label or a function                 */
    OPERAND_LIST,               /* {a, b}, or (a, b) of a call           */
    OPERAND_NONE,               /* _                                     */
};

struct Operand {
    enum OperandKind kind;
    bool address;               /* was in brackets; value is added       */
    bool not;                   /* !p                                    */
    int reg;                    /* number in the function                */
    enum Type type;             /* of the register                       */
    uint64_t value;             /* number, bits of a float, or offset    */
    const char *name;
    const struct Variable *variable;
    int n;                      /* of a list                             */
    struct Operand *list;
    struct Operand *second;     /* p|q                                   */
};

/* The bits of a number as a value of this type: 1.5 for an f32 is a float.
 * False: it is none, as 1 is no f32. */
bool number_as(uint64_t *bits, const struct Operand *, enum Type);

/* statements and functions as read */
enum { MAX_OPERANDS = 8 };

struct Statement {
    const char *op;             /* "ld.global.f32"                       */
    int guard;                  /* register number, or -1                */
    bool guard_not;
    int operands;
    struct Operand operand[MAX_OPERANDS];
    int file, line, ptx_line;
};

struct Label { const char *name; int at; const struct Statement *table; };

struct Function {
    const char *name;
    bool entry, has_body;
    int ptx_line;
    struct Variable **params;   /* in order                              */
    int n_params, params_room;
    struct Variable *result;    /* one at most                           */
    struct Statement *code;
    int n_code, code_room;
    struct Label *labels;
    int n_labels, labels_room;
    struct Variable **locals;   /* .local, .shared, .param in the body   */
    int n_locals, locals_room;
    int n_registers;
    uint32_t max_threads;
    int main_file;
    bool open;                  /* decode.c is inside its body           */
    bool taken;                 /* its address is                        */
    int seen;                   /* decode.c: for this kernel             */
};

struct Text {
    struct Pool *pool;
    struct Function *functions;
    int n_functions, functions_room;
    struct Variable **variables;
    int n_variables, variables_room;
    const char **files;         /* by number                             */
    int n_files;
};

bool ptx_read(struct Text *t, const char *text, size_t bytes,
              struct Error *e);

#endif
