/* Graphs: explicit nodes, recorded streams, updates, conditions. */
#include "foreign_rows.h"
#include <string.h>

enum { N = 256 };
__global__ void add(int *x, const int *y, int k) { x[threadIdx.x] += k * y[threadIdx.x]; }
__global__ void times(int *x, int k) { x[threadIdx.x] *= k; }
__global__ void count_down(int *left, cudaGraphConditionalHandle h)
{
    cudaGraphSetConditional(h, --*left > 0);
}
static int *x, *y, host[N], got[N];
static int calls;
static void called(void *data) { calls += *(int *)data; }

static int is(int a, int b)         /* a i + b everywhere? */
{
    int right = 1;
    cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        right &= got[i] == a * i + b;
    return right;
}
static void reset(int value)
{
    int all[N];
    for (int i = 0; i < N; i++)
        all[i] = value, host[i] = i;
    cudaMemcpy(x, all, sizeof all, cudaMemcpyHostToDevice);
    cudaMemset(y, 0, sizeof host);
}
static cudaKernelNodeParams kernel(void *f, void **arguments)
{
    cudaKernelNodeParams p = {};
    p.func = f;
    p.gridDim = dim3(1);
    p.blockDim = dim3(N);
    p.kernelParams = arguments;
    return p;
}
/* y = host, x = 3; then x *= 5 and x += 2 y, then a call: 2 i + 15.  The
 * nodes are made in another order than they run in. */
static cudaGraphNode_t last_add, last_host;
static cudaGraph_t explicit_graph(int *step)
{
    cudaGraph_t g;
    cudaGraphNode_t copy, set, multiply;
    int five = 5, two = 2;
    void *a[] = { &x, &five }, *b[] = { &x, &y, &two };
    cudaKernelNodeParams p = kernel((void *)add, b);
    cudaMemsetParams m = {};
    m.dst = x, m.value = 3, m.elementSize = 4, m.width = N, m.height = 1;
    cudaHostNodeParams h = { called, step };
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&last_add, g, NULL, 0, &p);
    p = kernel((void *)times, a);
    cudaGraphAddKernelNode(&multiply, g, NULL, 0, &p);
    cudaGraphAddMemcpyNode1D(&copy, g, NULL, 0, y, host, sizeof host, cudaMemcpyHostToDevice);
    cudaGraphAddMemsetNode(&set, g, NULL, 0, &m);
    cudaGraphNode_t from[] = { set, multiply, copy }, to[] = { multiply, last_add, last_add };
    cudaGraphAddDependencies(g, from, to, 3);
    cudaGraphAddHostNode(&last_host, g, &last_add, 1, &h);
    five = two = -1;                /* arguments were copied */
    return g;
}
int main()
{
    cudaMalloc(&x, sizeof host), cudaMalloc(&y, sizeof host);
    cudaStream_t s, other;
    cudaEvent_t fork, join;
    cudaStreamCreate(&s), cudaStreamCreate(&other);
    cudaEventCreate(&fork), cudaEventCreate(&join);
    int step = 1, right;
    size_t n = 0, edges = 0, roots = 0;
    cudaGraph_t g = explicit_graph(&step), clone;
    cudaGraphExec_t e, f;
    cudaGraphGetNodes(g, NULL, &n), cudaGraphGetEdges(g, NULL, NULL, &edges), cudaGraphGetRootNodes(g, NULL, &roots);
    row("nodes, edges and roots are counted", n == 5 && edges == 4 && roots == 2);
    reset(0);
    cudaGraphInstantiate(&e, g, NULL, NULL, 0);
    right = cudaGraphLaunch(e, s) == 0 && is(2, 15);
    right &= cudaGraphLaunch(e, s) == 0 && is(2, 15) && calls == 2;
    row("explicit nodes run after those that they name", right);
    cudaGraphClone(&clone, g);
    cudaGraphInstantiate(&f, clone);
    void *b[] = { &x, &y, &step };
    int seven = 7;
    b[2] = &seven;
    cudaKernelNodeParams p = kernel((void *)add, b);
    cudaGraphExecKernelNodeSetParams(e, last_add, &p);
    cudaGraphDestroy(g), cudaGraphDestroy(clone);
    right = cudaGraphLaunch(e, s) == 0 && is(7, 15) && cudaGraphLaunch(f, s) == 0 && is(2, 15);
    row("an executable graph is a copy, with parameters of its own", right);
    cudaGraphExecDestroy(e), cudaGraphExecDestroy(f);

    /* a recorded stream, which forks and joins */
    reset(1);
    calls = 0;
    cudaStreamCaptureStatus status;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork);
    cudaMemcpyAsync(y, host, sizeof host, cudaMemcpyHostToDevice, other);
    times<<<1, N, 0, s>>>(x, 4);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(s, join);
    add<<<1, N, 0, s>>>(x, y, 3);
    cudaLaunchHostFunc(s, called, &step);
    cudaStreamIsCapturing(other, &status);
    right = status == cudaStreamCaptureStatusActive && is(0, 1) && calls == 0;
    cudaStreamEndCapture(s, &g);
    cudaGraphGetNodes(g, NULL, &n), cudaGraphGetRootNodes(g, NULL, &roots);
    cudaStreamIsCapturing(other, &status);
    right &= n == 4 && roots == 2 && status == cudaStreamCaptureStatusNone;
    row("nothing runs while a stream is recorded", right);
    cudaGraphInstantiate(&e, g, 0);
    right = cudaGraphLaunch(e, s) == 0 && is(3, 4) && calls == 1;
    cudaMemset(x, 0, sizeof host);
    right &= cudaGraphLaunch(e, s) == 0 && is(3, 0);
    row("a recorded graph forks and joins", right);

    cudaGraph_t same, longer;
    cudaGraphExecUpdateResultInfo info;
    for (int more = 0; more < 2; more++) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        cudaEventRecord(fork, s), cudaStreamWaitEvent(other, fork);
        cudaMemcpyAsync(y, host, sizeof host, cudaMemcpyHostToDevice, other);
        times<<<1, N, 0, s>>>(x, 2);
        cudaEventRecord(join, other), cudaStreamWaitEvent(s, join);
        add<<<1, N, 0, s>>>(x, y, 9);
        cudaLaunchHostFunc(s, called, &step);
        if (more)
            times<<<1, N, 0, s>>>(x, 2);
        cudaStreamEndCapture(s, more ? &longer : &same);
    }
    reset(5);
    right = cudaGraphExecUpdate(e, same, &info) == 0 && cudaGraphLaunch(e, s) == 0 && is(9, 10);
    right &= cudaGraphExecUpdate(e, longer, &info) == cudaErrorGraphExecUpdateFailure;
    right &= info.result == cudaGraphExecUpdateErrorTopologyChanged && cudaGetLastError() != 0;
    row("an update wants the same nodes", right);

    /* a child graph, run twice */
    cudaGraph_t parent;
    cudaGraphNode_t once, twice, sizes;
    cudaGraphCreate(&parent, 0);
    cudaGraphAddChildGraphNode(&once, parent, NULL, 0, same);
    cudaGraphAddEmptyNode(&sizes, parent, &once, 1);
    cudaGraphAddChildGraphNode(&twice, parent, &sizes, 1, same);
    cudaGraphInstantiate(&f, parent, 0);
    reset(5);
    row("a graph within a graph", cudaGraphLaunch(f, s) == 0 && is(27, 20));
    cudaGraphExecDestroy(e), cudaGraphExecDestroy(f);
    cudaGraphDestroy(parent), cudaGraphDestroy(same), cudaGraphDestroy(longer), cudaGraphDestroy(g);

    /* while (--left > 0) x *= 2 */
    cudaGraphConditionalHandle h;
    cudaGraphNode_t loop, body;
    int *left, ten = 10, two = 2;
    cudaMalloc(&left, sizeof *left);
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional;
    c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeWhile;
    c.conditional.size = 1;
    cudaGraphAddNode(&loop, g, NULL, NULL, 0, &c);
    void *double_it[] = { &x, &two };
    p = kernel((void *)times, double_it);
    cudaGraphAddKernelNode(&body, c.conditional.phGraph_out[0], NULL, 0, &p);
    void *count[] = { &left, &h };
    p = kernel((void *)count_down, count);
    p.blockDim = dim3(1);
    cudaGraphAddKernelNode(&body, c.conditional.phGraph_out[0], &body, 1, &p);
    cudaGraphInstantiate(&e, g, 0);
    right = 1;
    for (int again = 0; again < 2; again++) {
        reset(1);
        cudaMemcpy(left, &ten, sizeof ten, cudaMemcpyHostToDevice);
        right &= cudaGraphLaunch(e, s) == 0 && is(0, 1024);
    }
    row("a loop whose condition a kernel sets", right);
    cudaGraphExecDestroy(e), cudaGraphDestroy(g);

    /* a circle */
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&once, g, NULL, 0);
    cudaGraphAddEmptyNode(&twice, g, &once, 1);
    cudaGraphAddDependencies(g, &twice, &once, 1);
    cudaGraphInstantiate(&e, g, 0);
    row("nodes that wait for each other are refused", cudaGraphLaunch(e, s) != 0 && cudaGetLastError() != 0);
    cudaGraphExecDestroy(e), cudaGraphDestroy(g);
    cudaFree(x), cudaFree(y), cudaFree(left);
    cudaStreamDestroy(s), cudaStreamDestroy(other), cudaEventDestroy(fork), cudaEventDestroy(join);
    return rows_end();
}
