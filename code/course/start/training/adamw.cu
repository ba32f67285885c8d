/* Tangled from chapters/course/training-solutions.nw, "Slow: one step of AdamW".  Edit it there. */

// training/adamw: slow code
//
// One step of AdamW for n parameters.  The new m is 0.9 m + 0.1 g, and the
// new v is 0.95 v + 0.05 g^2.  From w is subtracted, with the new m and v,
//     rate * m / (sqrt(v) * root + 1e-8) + shrink * w.
// w, m and v change in place, and no two arrays overlap.  The grid has a
// thread for each parameter, in blocks of 256.  The kernel is right.  Four
// numbers in and three out are 28 bytes for each parameter.  Why does it
// move more?

__global__ void adamw(float *w, float *m, float *v, const float *g, int n,
                      float rate, float root, float shrink)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    w[i] -= shrink * w[i];
    m[i] *= 0.9f;
    m[i] += 0.1f * g[i];
    v[i] *= 0.95f;
    v[i] += 0.05f * g[i] * g[i];
    w[i] -= rate * m[i] / (sqrtf(v[i]) * root + 1e-8f);
}
