// says: has 3 parameters; the exercise gives it 4
__global__ void add(float *z, const float *x, const float *y) { }
