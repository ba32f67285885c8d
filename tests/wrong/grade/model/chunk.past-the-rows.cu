// says: past the end of
__global__ void classifier(float *loss, float *logits, const float *h,
                           const float *w, const int *target, int rows,
                           int V)
{
    for (int first = 0; first < rows; first += 8) {
        int n = 8;
        for (int v = 0; v < V; v++)
            for (int k = 0; k < n; k++) {
                float dot = 0;
                for (int c = 0; c < 16; c++)
                    dot += h[16 * (first + k) + c] * w[16 * v + c];
                logits[k * V + v] = dot;
            }
        for (int k = 0; k < n; k++) {
            const float *row = logits + k * V;
            float most = -INFINITY, sum = 0;
            for (int v = 0; v < V; v++)
                most = fmaxf(most, row[v]);
            for (int v = 0; v < V; v++)
                sum += expf(row[v] - most);
            loss[first + k] = logf(sum) + most - row[target[first + k]];
        }
    }
}
