/* Tangled from chapters/workshop/file-formats.nw, "The program eval".  Edit it there. */

#include "gpt2/mean_loss.h"

#include <math.h>

/* compute the mean loss of a shard */
/* The mean loss, in nats, over the first `rows` windows of `data`, B at a
 * time; NAN if rows is 0.
 *   needs   rows <= data->windows; data's windows have T tokens
 *   x, y    room for B T tokens each; what was there is gone */
double model_mean_loss(struct Model *m, const struct Loader *data,
                       uint64_t rows, int B, int T, int32_t *x, int32_t *y)
{
    double sum = 0;
    for (uint64_t at = 0; at < rows; at += (uint64_t)B) {
        const int n = rows - at < (uint64_t)B ? (int)(rows - at) : B;
        loader_batch(data, x, y, at, n);
        sum += n * model_loss(m, x, y, n, T);
    }
    return rows ? sum / (double)rows : NAN;
}
