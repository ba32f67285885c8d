/* Read before a .cu file by tests/lib/fake-nvcc: its kernels become functions
 * of this processor, called once for each thread.  No barriers. */
struct Index { unsigned x, y, z; };
extern "C" { struct Index threadIdx, blockIdx, blockDim, gridDim; }
#define __global__ extern "C"
#define __device__ static
