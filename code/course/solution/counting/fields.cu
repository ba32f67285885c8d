/* Tangled from chapters/course/counting-solutions.nw, "Fields of a struct".  Edit it there. */

struct Point { float x, y, z, w; };

__global__ void add_fields(float *y, const Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = *(const float4 *)(p + i);
    y[i] = v.x + v.y + v.z + v.w;
}
