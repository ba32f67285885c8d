#!/bin/bash
# simtcc: readers' own CUDA programs, compiled and run on the software GPU.
. tests/lib/run.sh
simtcc=$BIN/simtcc
clangs=$(for v in '' -14 -15 -16 -17 -18 -19; do
    command -v "clang$v" > /dev/null && echo "clang$v"; done)
newest=$(echo "$clangs" | tail -1)

# ---- the command line ------------------------------------------------------
check "--help" "$simtcc" --help
refuses "no file" 2 'no input file' "$simtcc"
refuses "a file that is not there" 2 'nowhere.cu: no such file' \
    "$simtcc" nowhere.cu
refuses "an unknown option" 2 'unknown option --fast' "$simtcc" --fast x.cu
refuses "fast mathematics" 2 'would change results' \
    "$simtcc" -use_fast_math x.cu
refuses "no clang" 1 "no compiler 'clang-none'.*apt install clang" \
    env CLANG=clang-none "$simtcc" tests/data/simt/vector_add.cu
printf '#!/bin/sh\necho "  Registered Targets:"; echo "    x86-64"\n' \
    > "$dir/apple-clang"
chmod +x "$dir/apple-clang"
refuses "a clang without NVPTX" 1 'no NVPTX back end' \
    env CLANG="$dir/apple-clang" "$simtcc" tests/data/simt/vector_add.cu

# ---- what is refused: name, reason, line -----------------------------------
# refused NAME LINE-OF-THE-BODY PATTERN: the compiler must name line 3
refused() {
    printf '%s\n' '#include <cuda_runtime.h>' '' "$2" > "$dir/bad.cu"
    refuses "refused: $1" 1 "bad.cu:3:.*$3" "$simtcc" -c "$dir/bad.cu" \
        -o "$dir/bad.o"
}
refused "textures" 'void f(){ cudaTextureObject_t t = 0; (void)t; }' \
    'simtcc: the software GPU has no textures'
refused "graphs" 'void f(){ cudaStreamBeginCapture(0, 0); }' \
    'simtcc: the software GPU has no graphs'
refused "cooperative launch" \
    'void f(){ cudaLaunchCooperativeKernel((void*)f, 1, 1, 0); }' \
    'simtcc: the software GPU has no cooperative launch'
refused "shuffles without lanes" \
    '__global__ void k(int *p){ *p = __shfl_down(*p, 1); }' \
    'simtcc: __shfl_down names no lanes: use __shfl_down_sync'
refused "a clock" '__global__ void k(long long *p){ *p = clock64(); }' \
    'simtcc: the software GPU counts, it has no clock'
refused "exp of a double" '__global__ void k(double *p){ *p = exp(*p); }' \
    'simtcc: exp of a double'
refused "atomicMax of floats" \
    '__global__ void k(float *p){ atomicMax(p, 1.0f); }' \
    'simtcc: there is no atomicMax of floats'
refused "managed variables" '__managed__ int x; void f(){ x = 1; }' \
    'simtcc: no __managed__ variables'
refused "an unknown call" 'void f(){ cudaMakeCoffee(); }' \
    "undeclared identifier 'cudaMakeCoffee'"
for h in cooperative_groups mma curand_kernel cublas_v2 nccl cuda; do
    printf '#include <%s.h>\n' "$h" > "$dir/bad.cu"
    refuses "refused: <$h.h>" 1 'bad.cu:1:(.|\n)*simtcc: no ' \
        sh -c "'$simtcc' -c '$dir/bad.cu' -o '$dir/bad.o' 2>&1 |
               tr '\n' ' ' >&2; exit 1"
done

# ---- every clang makes an object -------------------------------------------
for c in $clangs; do
    check "$c compiles the whole header" env CLANG="$c" "$simtcc" -Wall \
        -Wextra -Werror -c tests/data/simt/everything.cu -o "$dir/all.o"
done
check "without optimisation" "$simtcc" -O0 -c \
    tests/data/simt/everything.cu -o "$dir/all.o"
"$simtcc" --ptx tests/data/simt/vector_add.cu -o "$dir/add.ptx"
check "--ptx writes PTX with source lines" \
    grep -q 'entry vector_add\|\.loc' "$dir/add.ptx"

finish
