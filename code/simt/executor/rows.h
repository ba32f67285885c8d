/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#ifndef SIMT_EXECUTOR_ROWS_H
#define SIMT_EXECUTOR_ROWS_H

#include "simt/executor/lanes.h"

extern const struct Row integer_rows[], float_rows[], half_rows[],
    convert_rows[];
extern const struct CompareRow integer_compares[], float_compares[];

#endif
