/* Tangled from chapters/course/model-solutions.nw, "Slow: one row of logits at a time".  Edit it there. */

// model/chunk: slow code
//
// h has `rows` rows of 16 floats, w has V rows of 16 floats.  The logits
// of row r are the V dot products of h[r] with the rows of w, and loss[r]
// is log(the sum of exp(logit[v])) - logit[target[r]].  The kernel runs in
// one thread and is right.  `logits` is scratch memory for 8 V floats, of
// which the kernel uses V.  It fetches all of w from memory for each row.
// Fetch it once for each eight rows.

__global__ void classifier(float *loss, float *logits, const float *h,
                           const float *w, const int *target, int rows,
                           int V)
{
    for (int r = 0; r < rows; r++) {
        float most = -INFINITY, sum = 0;
        for (int v = 0; v < V; v++) {
            float dot = 0;
            for (int c = 0; c < 16; c++)
                dot += h[16 * r + c] * w[16 * v + c];
            logits[v] = dot;
            most = fmaxf(most, dot);
        }
        for (int v = 0; v < V; v++)
            sum += expf(logits[v] - most);
        loss[r] = logf(sum) + most - logits[target[r]];
    }
}
