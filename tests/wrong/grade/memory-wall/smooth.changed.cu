// says: expected
__global__ void smooth(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = x[i];
        int of = 1;
        if (i > 0) {
            sum += x[i - 1];
            of++;
        }
        if (i + 1 < n) {
            sum += x[i + 1];
            of++;
        }
        x[i] = sum / of;
    }
}
