/* Tangled from chapters/workshop/timing-operators.nw, "Layer normalisation".  Edit it there. */

#ifndef OPS_KERNELS_PIECES_H
#define OPS_KERNELS_PIECES_H

/* N rows are cut by their number alone, whoever adds them up: at most
 * `most` pieces, each of at least 16 rows but the last. */
static inline int rows_of_piece(int N, int most)
{
    int rows = (N + most - 1) / most;
    return rows < 16 ? 16 : rows;
}

#endif
