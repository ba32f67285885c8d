/* Appendix L, Reading and executing PTX: L.5 Thirty-two lanes at a time */
/* Tangled from chapters/l-ptx.nw by `make tangle`; edit it there. */

#ifndef SIMT_ROWS_H
#define SIMT_ROWS_H

#include "simt/lanes.h"

extern const struct Row integer_rows[], float_rows[], half_rows[],
    convert_rows[];
extern const struct CompareRow integer_compares[], float_compares[];

#endif
