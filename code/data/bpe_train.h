/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_BPE_TRAIN_H
#define DATA_BPE_TRAIN_H

#include "data/vocab.h"

struct BpeTrainer;

/* Count the pieces of texts, as many as come; then train; then free.  NULL
 * if there is no memory; when it runs out later, bpe_train fails. */
struct BpeTrainer *bpe_trainer_new(void);
void bpe_trainer_add(struct BpeTrainer *t, const uint8_t *text,
                     size_t size);
void bpe_trainer_free(struct BpeTrainer *t);

/* Learn size - 257 merges, 257 <= size <= VOCAB_MAX.  The most frequent
 * pair first; among equals the one with the smaller left id, then the
 * smaller right id.  Fails if no pair is left that occurs twice.  report
 * (or NULL) is called now and then with merges done.  Once per trainer. */
bool bpe_train(struct Vocab *v, struct BpeTrainer *t, int size,
               void (*report)(int done, int wanted), struct Error *e);

#endif
