#!/bin/bash
# Several devices of the software GPU, SIMT_DEVICES=N: each has memory of its
# own, and a kernel that touches another's is stopped with a message.
. tests/lib/run.sh
if ! command -v clang > /dev/null; then
    skip "several devices" "no clang (make setup)"; finish
fi
cat > "$dir/two.cu" << 'CU'
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__device__ int calls = 100;
__global__ void put(int *x, int value) { *x = value; atomicAdd(&calls, 1); }
static int count()
{
    int n = -1;
    cudaMemcpyFromSymbol(&n, calls, sizeof n);
    return n;
}
static int get(const int *x)
{
    int host = -1;
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    return host;
}
int main(int argc, char **argv)
{
    int n, now, *x[2];
    cudaGetDeviceCount(&n);
    for (int d = 0; d < 2; d++) {
        cudaError_t e = cudaSetDevice(d);
        if (e != cudaSuccess) {
            printf("%d devices: %s\n", n, cudaGetErrorString(e));
            return 3;
        }
        cudaMalloc(&x[d], sizeof(int));
        put<<<1, 1>>>(x[d], 10 + d);
    }
    cudaSetDevice(0);
    put<<<1, 1>>>(x[0], 10);
    printf("calls %d", count());
    cudaSetDevice(1);
    printf(" and %d\n", count());
    cudaGetDevice(&now);
    printf("%d devices, now %d: %d %d\n", n, now, get(x[0]), get(x[1]));
    if (argc > 1)
        put<<<1, 1>>>(x[0], 7);             /* of device 0, on device 1 */
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(x[0]), cudaFree(x[1]);
    return e != cudaSuccess;
}
CU
check "a program for two devices compiles" "$BIN/simtcc" "$dir/two.cu" -o "$dir/two"
SIMT_DEVICES=2 "$dir/two" > "$dir/out" 2>&1
check "two devices, each with what was put there" \
    grep -q '^2 devices, now 1: 10 11$' "$dir/out"
check "each device has its own variables, which begin alike" \
    grep -q '^calls 102 and 101$' "$dir/out"
SIMT_DEVICES=2 "$dir/two" wrong > "$dir/wrong" 2>&1
check "a pointer of one device used on the other is reported" \
    grep -q 'memory of device 0: this kernel runs on device 1' "$dir/wrong"
"$dir/two" > "$dir/one" 2>&1
check "there is one device unless more are asked for" \
    grep -q '^1 devices: invalid device ordinal' "$dir/one"
for many in 0 17 -1 two; do
    SIMT_DEVICES=$many "$dir/two" > "$dir/bad" 2>&1
    check "SIMT_DEVICES=$many is refused" \
        grep -q "SIMT_DEVICES=$many: a number from 1 to 16" "$dir/bad"
done
finish
