/* Tangled from chapters/workshop/quantised-weights.nw, "Losses with a stride".  Edit it there. */

/* strided_loss.h: the loss of a text in windows that overlap. */
#ifndef GPT2_STRIDED_LOSS_H
#define GPT2_STRIDED_LOSS_H

#include "gpt2/decoder.h"

/* All zero at first.  Mean loss in nats: sum / tokens. */
struct StridedLoss {
    double   sum;
    uint64_t tokens;            /* scored */
    uint64_t agree;             /* for which both models would have chosen
                                 * the same */
};

/* Add the losses of token[0..count).  Windows of d->T tokens begin at
 * multiples of `stride`, 1 <= stride <= d->T; of each, the predictions of
 * the last `stride` tokens count, so each has at least d->T - stride tokens
 * before it.  At most `most` windows, d->rows at a time.  `other`, with as
 * many rows and the same T and V, reads the same; or NULL.  All tokens are
 * below V.  False once a backend has failed, or without memory. */
bool strided_loss(struct StridedLoss *r, struct Decoder *d,
                  struct Decoder *other, const uint16_t *token,
                  size_t count, int stride, uint64_t most, struct Error *e);

#endif
