// says: lanes multiplying floats .*over
__global__ void product(float *y, const unsigned *x, const unsigned *w,
                        int steps)
{
    for (int i = threadIdx.x; i < 128; i += 32) {
        float sum = 0;
        for (int k = 0; k < 8 * steps; k++)
            sum += __uint_as_float(x[i / 8 * 8 * steps + k]) *
                   __uint_as_float(w[i % 8 * 8 * steps + k]);
        y[i] = sum;
    }
}
