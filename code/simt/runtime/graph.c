/* Tangled from chapters/workshop/foreign-features.nw, "The nodes".  Edit it there. */

#include "simt/runtime/graph.h"

#include "base/alloc.h"
#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>

/* nodes and graphs */
struct CUgraphNode_st {
    enum cudaGraphNodeType type;
    cudaGraph_t graph;
    cudaGraphNode_t origin;         /* in the graph that was copied      */
    cudaGraphNode_t *after;         /* [n_after] must be over before     */
    size_t n_after;
    unsigned run;                   /* the launch it has been run in     */
    struct Request launch;          /* owns its arguments                */
    size_t *sizes, n_sizes;         /* of the arguments                  */
    struct cudaMemcpy3DParms copy;
    cudaMemsetParams set;
    cudaHostNodeParams host;
    cudaGraph_t *graphs;            /* [n_graphs] a child, or bodies     */
    unsigned n_graphs;
    enum cudaGraphConditionalNodeType condition;
    cudaGraphConditionalHandle handle;
    cudaEvent_t event;
    void *memory;                   /* allocated or freed                */
};
struct CUgraph_st {
    cudaGraphNode_t *node;
    size_t n, room;
    struct Handle { uint64_t at; unsigned value, flags; } *handle;
    size_t n_handles;
    bool copied;                    /* its handles are another graph's   */
};
struct CUgraphExec_st { cudaGraph_t graph; };

static cudaError_t add(cudaGraphNode_t *to, cudaGraph_t g,
                       const cudaGraphNode_t *after, size_t n,
                       enum cudaGraphNodeType type)
{
    if (!g || (n && !after))
        return refuse(cudaErrorInvalidValue, "a node of a graph: the graph "
                      "or the list of nodes before it is NULL");
    for (size_t i = 0; i < n; i++)
        if (!after[i] || after[i]->graph != g)
            return refuse(cudaErrorInvalidValue, "a node of a graph: node "
                          "%zu that it follows is in another graph", i);
    cudaGraphNode_t node = xcalloc(1, sizeof *node);
    node->type = type;
    node->graph = g;
    node->after = xcalloc(n + 1, sizeof *after);
    node->n_after = n;
    if (n)
        memcpy(node->after, after, n * sizeof *after);
    if (g->n == g->room) {
        g->room = 2 * g->room + 8;
        g->node = xrealloc(g->node, g->room * sizeof *g->node);
    }
    *to = g->node[g->n++] = node;
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *g, unsigned flags)
{
    (void)flags;
    ENTER();
    *g = xcalloc(1, sizeof **g);
    return cudaSuccess;
}

static void forget_arguments(cudaGraphNode_t n)
{
    for (size_t i = 0; i < n->n_sizes; i++)
        free(n->launch.arguments[i]);
    free(n->launch.arguments);
    free(n->sizes);
    n->n_sizes = 0;
}

static cudaError_t keep_launch(cudaGraphNode_t n, const struct Request *r)
{
    size_t *sizes = NULL, count = 0;
    cudaError_t code = launch_sizes(r->kernel, &sizes, &count);
    if (code)
        return code;
    for (size_t i = 0; i < count; i++)
        if (!r->arguments || !r->arguments[i]) {
            free(sizes);
            return refuse(cudaErrorInvalidValue, "a kernel node: argument "
                          "%zu of %zu is missing", i + 1, count);
        }
    void **own = xcalloc(count + 1, sizeof *own);
    for (size_t i = 0; i < count; i++) {
        own[i] = xcalloc(1, sizes[i] + 1);
        memcpy(own[i], r->arguments[i], sizes[i]);
    }
    forget_arguments(n);
    n->launch = *r;
    n->launch.arguments = own;
    n->launch.stream = NULL;
    n->sizes = sizes;
    n->n_sizes = count;
    return cudaSuccess;
}

static struct Request request_of(const cudaKernelNodeParams *p)
{
    return (struct Request){
        .kernel = p->func, .grid = p->gridDim, .block = p->blockDim,
        .bytes = p->sharedMemBytes,
        .arguments = p->kernelParams };
}

static cudaGraph_t copy_graph(cudaGraph_t g);

static void copy_node(cudaGraphNode_t to, const struct CUgraphNode_st *n)
{
    cudaGraphNode_t *after = to->after;
    cudaGraph_t g = to->graph;
    size_t n_after = to->n_after;
    *to = *n;
    to->graph = g;
    to->after = after;
    to->n_after = n_after;
    to->n_sizes = 0;
    to->sizes = NULL;
    to->launch.arguments = NULL;
    if (n->type == cudaGraphNodeTypeKernel)
        keep_launch(to, &n->launch);
    to->graphs = xcalloc(n->n_graphs + 1, sizeof *to->graphs);
    for (unsigned i = 0; i < n->n_graphs; i++)
        to->graphs[i] = copy_graph(n->graphs[i]);
}

static cudaGraph_t copy_graph(cudaGraph_t g)
{
    cudaGraph_t to = xcalloc(1, sizeof *to);
    to->copied = true;
    to->handle = g->handle;
    to->n_handles = g->n_handles;
    for (size_t i = 0; i < g->n; i++) {
        cudaGraphNode_t n;
        add(&n, to, NULL, 0, g->node[i]->type);
        n->origin = g->node[i];
    }
    for (size_t i = 0; i < g->n; i++) {
        cudaGraphNode_t from = g->node[i], n = to->node[i];
        free(n->after);
        n->after = xcalloc(from->n_after + 1, sizeof *n->after);
        n->n_after = from->n_after;
        for (size_t k = 0; k < from->n_after; k++)
            for (size_t j = 0; j < g->n; j++)
                if (g->node[j] == from->after[k])
                    n->after[k] = to->node[j];
        copy_node(n, from);
        n->origin = from->origin && g->copied ? from->origin : from;
    }
    return to;
}

static void drop_graph(cudaGraph_t g)
{
    for (size_t i = 0; i < g->n; i++) {
        cudaGraphNode_t n = g->node[i];
        forget_arguments(n);
        for (unsigned k = 0; k < n->n_graphs; k++)
            drop_graph(n->graphs[k]);
        free(n->graphs);
        free(n->after);
        free(n);
    }
    free(g->node);
    free(g);
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    ENTER();
    if (g)
        drop_graph(g);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t g)
{
    ENTER();
    *to = copy_graph(g);
    return cudaSuccess;
}

/* add nodes */
#define ADDS(name, kind, parameter, keep)                                 \
    cudaError_t cudaGraphAdd##name(cudaGraphNode_t *to, cudaGraph_t g,    \
                                   const cudaGraphNode_t *after,          \
                                   size_t n parameter)                    \
    {                                                                     \
        ENTER();                                                          \
        cudaError_t code = add(to, g, after, n, cudaGraphNodeType##kind); \
        if (code)                                                         \
            return code;                                                  \
        keep;                                                             \
        return code;                                                      \
    }
#define AND , /* a parameter more */
ADDS(KernelNode, Kernel, AND const cudaKernelNodeParams *p,
     struct Request r = request_of(p); code = keep_launch(*to, &r))
ADDS(MemcpyNode, Memcpy, AND const struct cudaMemcpy3DParms *p,
     (*to)->copy = *p)
ADDS(MemsetNode, Memset, AND const cudaMemsetParams *p, (*to)->set = *p)
ADDS(HostNode, Host, AND const cudaHostNodeParams *p, (*to)->host = *p)
ADDS(EmptyNode, Empty, , )
ADDS(EventRecordNode, EventRecord, AND cudaEvent_t e, (*to)->event = e)
ADDS(EventWaitNode, WaitEvent, AND cudaEvent_t e, (*to)->event = e)
ADDS(MemFreeNode, MemFree, AND void *p, (*to)->memory = p)

static void bodies(cudaGraphNode_t n, unsigned count)
{
    n->graphs = xcalloc(count + 1, sizeof *n->graphs);
    n->n_graphs = count;
    for (unsigned i = 0; i < count; i++)
        n->graphs[i] = xcalloc(1, sizeof **n->graphs);
}

static void keep_child(cudaGraphNode_t n, cudaGraph_t child)
{
    n->graphs = xcalloc(1, sizeof *n->graphs);
    n->n_graphs = 1;
    n->graphs[0] = copy_graph(child);
}
ADDS(ChildGraphNode, Graph, AND cudaGraph_t child, keep_child(*to, child))

static struct cudaMemcpy3DParms plain_copy(void *to, const void *from,
                                           size_t bytes,
                                           enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = { (void *)(uintptr_t)from, bytes, bytes, 1 },
        .dstPtr = { to, bytes, bytes, 1 }, .extent = { bytes, 1, 1 },
        .kind = kind };
}
ADDS(MemcpyNode1D, Memcpy, AND void *p AND const void *from
     AND size_t bytes AND enum cudaMemcpyKind kind,
     (*to)->copy = plain_copy(p, from, bytes, kind))

static size_t graph_memory;             /* bytes that nodes allocated    */
ADDS(MemAllocNode, MemAlloc, AND cudaMemAllocNodeParams *p,
     code = cudaMalloc(&p->dptr, p->bytesize); (*to)->memory = p->dptr;
     graph_memory += p->bytesize)

cudaError_t cudaDeviceGetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType a, void *value)
{
    (void)device, (void)a;
    ENTER();
    memcpy(value, &graph_memory, sizeof graph_memory);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    (void)device;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *h,
                                             cudaGraph_t g, unsigned value,
                                             unsigned flags)
{
    struct Error e;
    uint64_t at;
    ENTER();
    if (!memory_alloc(&at, 4, "a condition of a graph", &e))
        return refuse(cudaErrorMemoryAllocation, "%s", e.text);
    g->handle = xrealloc(g->handle, (g->n_handles + 1) *
                                    sizeof *g->handle);
    g->handle[g->n_handles++] = (struct Handle){ at, value, flags };
    memcpy(memory_bytes(at), &value, 4);
    *h = at;
    return cudaSuccess;
}

static cudaError_t add_conditional(cudaGraphNode_t *to, cudaGraph_t g,
                                   const cudaGraphNode_t *after, size_t n,
                                   cudaConditionalNodeParams *p)
{
    cudaError_t code = add(to, g, after, n, cudaGraphNodeTypeConditional);
    if (code)
        return code;
    bodies(*to, p->size ? p->size : 1);
    (*to)->condition = p->type;
    (*to)->handle = p->handle;
    p->phGraph_out = (*to)->graphs;
    return cudaSuccess;
}

cudaError_t simt_graph_add_node(cudaGraphNode_t *to, cudaGraph_t g,
                                const cudaGraphNode_t *after, size_t n,
                                cudaGraphNodeParams *p)
{
    cudaKernelNodeParams k = {
        p->kernel.func, { p->kernel.gridDim.x, p->kernel.gridDim.y,
                          p->kernel.gridDim.z },
        { p->kernel.blockDim.x, p->kernel.blockDim.y,
          p->kernel.blockDim.z },
        p->kernel.sharedMemBytes, p->kernel.kernelParams, NULL };
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(to, g, after, n, &k);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(to, g, after, n,
                                      &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(to, g, after, n, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(to, g, after, n, &p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(to, g, after, n, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(to, g, after, n);
    case cudaGraphNodeTypeConditional:
        return add_conditional(to, g, after, n, &p->conditional);
    default:
        return refuse(cudaErrorNotSupported, "cudaGraphAddNode: a node of "
                      "type %d: use the call of that node", (int)p->type);
    }
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t g,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t n)
{
    ENTER();
    for (size_t i = 0; i < n; i++) {
        cudaGraphNode_t node = to[i];
        if (!from[i] || !node || from[i]->graph != g || node->graph != g)
            return refuse(cudaErrorInvalidValue, "cudaGraphAddDependencies:"
                          " pair %zu has a node of another graph", i);
        node->after = xrealloc(node->after, (node->n_after + 2) *
                                            sizeof *node->after);
        node->after[node->n_after++] = from[i];
    }
    return cudaSuccess;
}

/* Up to *n of those nodes; *n becomes how many there are. */
static void list_nodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n,
                       bool roots)
{
    size_t count = 0;
    for (size_t i = 0; i < g->n; i++)
        if (!roots || g->node[i]->n_after == 0) {
            if (to && count < *n)
                to[count] = g->node[i];
            count++;
        }
    *n = count;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n)
{
    ENTER();
    list_nodes(g, to, n, false);
    return cudaSuccess;
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *to,
                                  size_t *n)
{
    ENTER();
    list_nodes(g, to, n, true);
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, size_t *n)
{
    size_t count = 0;
    ENTER();
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->node[i]->n_after; k++, count++)
            if (from && to && count < *n) {
                from[count] = g->node[i]->after[k];
                to[count] = g->node[i];
            }
    *n = count;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n,
                                 enum cudaGraphNodeType *type)
{
    ENTER();
    *type = n->type;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t n,
                                         cudaKernelNodeParams *p)
{
    ENTER();
    *p = (cudaKernelNodeParams){
        (void *)(uintptr_t)n->launch.kernel, n->launch.grid,
        n->launch.block, (unsigned)n->launch.bytes, n->launch.arguments,
        NULL };
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n,
                                         const cudaKernelNodeParams *p)
{
    ENTER();
    struct Request r = request_of(p);
    return keep_launch(n, &r);
}

/* run a graph */
static cudaError_t run_graph(cudaGraph_t g);

static cudaError_t run_memset(const cudaMemsetParams *p)
{
    size_t bytes = p->width * p->elementSize, rows = p->height;
    unsigned char *row = xcalloc(bytes + 1, 1);
    for (size_t i = 0; i < p->width; i++)
        memcpy(row + i * p->elementSize, &p->value, p->elementSize);
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < rows && !code; i++)
        code = cudaMemcpy((char *)p->dst + i * p->pitch, row, bytes,
                          cudaMemcpyHostToDevice);
    free(row);
    return code;
}

static unsigned condition(cudaGraphNode_t n)
{
    unsigned value;
    memcpy(&value, memory_bytes(n->handle), sizeof value);
    return value;
}

static cudaError_t run_conditional(cudaGraphNode_t n)
{
    unsigned value = condition(n);
    cudaError_t code = cudaSuccess;
    switch (n->condition) {
    case cudaGraphCondTypeIf:
        if (value)
            return run_graph(n->graphs[0]);
        return n->n_graphs > 1 ? run_graph(n->graphs[1]) : cudaSuccess;
    case cudaGraphCondTypeSwitch:
        return value < n->n_graphs ? run_graph(n->graphs[value])
                                   : cudaSuccess;
    case cudaGraphCondTypeWhile:
        while (!code && condition(n))
            code = run_graph(n->graphs[0]);
    }
    return code;
}

static cudaError_t run_node(cudaGraphNode_t n)
{
    switch (n->type) {
    case cudaGraphNodeTypeKernel: return launch_now(&n->launch);
    case cudaGraphNodeTypeMemcpy: return cudaMemcpy3D(&n->copy);
    case cudaGraphNodeTypeMemset: return run_memset(&n->set);
    case cudaGraphNodeTypeHost:
        n->host.fn(n->host.userData);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph: return run_graph(n->graphs[0]);
    case cudaGraphNodeTypeEventRecord: return cudaEventRecord(n->event,
                                                              NULL);
    case cudaGraphNodeTypeConditional: return run_conditional(n);
    case cudaGraphNodeTypeEmpty: case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeMemAlloc: case cudaGraphNodeTypeMemFree:
        return cudaSuccess;
    }
    return cudaSuccess;
}

static cudaError_t run_graph(cudaGraph_t g)
{
    static unsigned launches;
    unsigned now = ++launches;
    for (size_t left = g->n, before = left + 1; left; ) {
        if (before == left)
            return refuse(cudaErrorInvalidValue, "a graph whose nodes wait "
                          "for each other: %zu of %zu cannot run", left,
                          g->n);
        before = left;
        for (size_t i = 0; i < g->n; i++) {
            cudaGraphNode_t n = g->node[i];
            bool ready = n->run != now;
            for (size_t k = 0; k < n->n_after; k++)
                ready &= n->after[k]->run == now;
            if (!ready)
                continue;
            cudaError_t code = run_node(n);
            if (code)
                return code;
            n->run = now;
            left--;
        }
    }
    return cudaSuccess;
}

/* instantiate and update */
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *e, cudaGraph_t g,
                                          unsigned long long flags)
{
    (void)flags;
    ENTER();
    if (!g)
        return refuse(cudaErrorInvalidValue, "cudaGraphInstantiate: the "
                      "graph is NULL");
    *e = xcalloc(1, sizeof **e);
    (*e)->graph = copy_graph(g);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e)
{
    ENTER();
    if (e)
        drop_graph(e->graph);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s)
{
    (void)e, (void)s;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s)
{
    ENTER();
    if (!e)
        return refuse(cudaErrorInvalidValue, "cudaGraphLaunch: the graph "
                      "is NULL");
    if (capturing(s)) {
        cudaGraphNode_t n;
        cudaError_t code = capture(s, cudaGraphNodeTypeGraph, &n);
        if (!code)
            keep_child(n, e->graph);
        return code;
    }
    for (size_t i = 0; i < e->graph->n_handles; i++) {
        const struct Handle *h = &e->graph->handle[i];
        if (h->flags & cudaGraphCondAssignDefault)
            memcpy(memory_bytes(h->at), &h->value, sizeof h->value);
    }
    return run_graph(e->graph);
}

static cudaGraphNode_t copy_of(cudaGraphExec_t e, cudaGraphNode_t n)
{
    for (size_t i = 0; e && n && i < e->graph->n; i++)
        if (e->graph->node[i]->origin == n)
            return e->graph->node[i];
    return NULL;
}

#define SETS_PARAMETERS(name, T, keep)                                    \
    cudaError_t cudaGraphExec##name##NodeSetParams(                       \
        cudaGraphExec_t e, cudaGraphNode_t node, const T *p)              \
    {                                                                     \
        ENTER();                                                          \
        cudaGraphNode_t n = copy_of(e, node);                             \
        if (!n || n->type != cudaGraphNodeType##name)                     \
            return refuse(cudaErrorInvalidValue, "cudaGraphExec" #name    \
                          "NodeSetParams: the graph was not made of that" \
                          " node");                                       \
        cudaError_t code = cudaSuccess;                                   \
        keep;                                                             \
        return code;                                                      \
    }
SETS_PARAMETERS(Kernel, cudaKernelNodeParams,
                struct Request r = request_of(p); code = keep_launch(n, &r))
SETS_PARAMETERS(Memcpy, struct cudaMemcpy3DParms, n->copy = *p)
SETS_PARAMETERS(Memset, cudaMemsetParams, n->set = *p)
SETS_PARAMETERS(Host, cudaHostNodeParams, n->host = *p)

cudaError_t simt_graph_update(cudaGraphExec_t e, cudaGraph_t g,
                              cudaGraphExecUpdateResultInfo *info)
{
    ENTER();
    bool same = e->graph->n == g->n;
    *info = (cudaGraphExecUpdateResultInfo){
        cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL };
    for (size_t i = 0; same && i < g->n; i++) {
        info->errorNode = g->node[i];
        same = g->node[i]->type == e->graph->node[i]->type &&
               g->node[i]->n_after == e->graph->node[i]->n_after;
    }
    if (!same)
        return refuse(cudaErrorGraphExecUpdateFailure, "cudaGraphExecUpdate"
                      ": the new graph has other nodes, or another order: "
                      "instantiate it");
    drop_graph(e->graph);
    e->graph = copy_graph(g);
    *info = (cudaGraphExecUpdateResultInfo){ cudaGraphExecUpdateSuccess,
                                             NULL, NULL };
    return cudaSuccess;
}

/* record streams */
/* What comes next on a stream, or after an event, follows these nodes. */
static struct Recorded {
    const void *what;               /* stream or event                   */
    bool event, first;              /* the stream that began it          */
    cudaGraph_t graph;
    cudaGraphNode_t *last;
    size_t n;
} *recorded;
static size_t n_recorded;

static struct Recorded *find(const void *what, bool event)
{
    for (size_t i = 0; i < n_recorded; i++)
        if (recorded[i].what == what && recorded[i].event == event)
            return &recorded[i];
    return NULL;
}

bool capturing(cudaStream_t s) { return n_recorded && find(s, false); }

static void follow(const void *what, bool event, cudaGraph_t g,
                   const cudaGraphNode_t *last, size_t n, bool add_to)
{
    struct Recorded *r = find(what, event);
    if (!r) {
        recorded = xrealloc(recorded, (n_recorded + 1) * sizeof *recorded);
        r = &recorded[n_recorded++];
        *r = (struct Recorded){ .what = what, .event = event };
    }
    if (!add_to || r->graph != g)
        r->n = 0;
    r->graph = g;
    cudaGraphNode_t *all = xcalloc(r->n + n + 1, sizeof *all);
    if (r->n)
        memcpy(all, r->last, r->n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < r->n; k++)
            known |= all[k] == last[i];
        if (!known)
            all[r->n++] = last[i];
    }
    free(r->last);
    r->last = all;
}

cudaError_t capture(cudaStream_t s, enum cudaGraphNodeType type,
                    cudaGraphNode_t *node)
{
    struct Recorded *r = find(s, false);
    cudaError_t code = add(node, r->graph, r->last, r->n, type);
    if (!code)
        follow(s, false, r->graph, node, 1, false);
    return code;
}

#define CAPTURES(s, type, keep)                                           \
    do {                                                                  \
        cudaGraphNode_t n;                                                \
        cudaError_t code = capture(s, cudaGraphNodeType##type, &n);       \
        if (!code)                                                        \
            keep;                                                         \
        return code;                                                      \
    } while (0)

cudaError_t capture_launch(const struct Request *r)
{
    CAPTURES(r->stream, Kernel, code = keep_launch(n, r));
}

cudaError_t capture_copy(cudaStream_t s, const struct cudaMemcpy3DParms *p)
{
    CAPTURES(s, Memcpy, n->copy = *p);
}

cudaError_t capture_set(cudaStream_t s, const cudaMemsetParams *p)
{
    CAPTURES(s, Memset, n->set = *p);
}

cudaError_t capture_host(cudaStream_t s, cudaHostFn_t f, void *data)
{
    CAPTURES(s, Host, n->host = ((cudaHostNodeParams){ f, data }));
}

cudaError_t capture_alloc(cudaStream_t s, void **pointer, size_t bytes)
{
    graph_memory += bytes;
    CAPTURES(s, MemAlloc, code = cudaMalloc(&n->memory, bytes);
             *pointer = n->memory);
}

cudaError_t capture_free(cudaStream_t s, void *pointer)
{
    CAPTURES(s, MemFree, n->memory = pointer);
}

cudaError_t capture_rows(cudaStream_t s, void *to, size_t to_pitch,
                         const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {
        .srcPtr = { (void *)(uintptr_t)from, from_pitch, width, height },
        .dstPtr = { to, to_pitch, width, height },
        .extent = { width, height, 1 }, .kind = kind };
    return capture_copy(s, &p);
}

void capture_record(cudaEvent_t e, cudaStream_t s)
{
    struct Recorded *r = find(s, false);
    follow(e, true, r->graph, r->last, r->n, false);
}

bool capture_wait(cudaStream_t s, cudaEvent_t e)
{
    struct Recorded *r = n_recorded ? find(e, true) : NULL;
    if (r)
        follow(s, false, r->graph, r->last, r->n, true);
    return r;
}

static cudaError_t begin(cudaStream_t s, cudaGraph_t g,
                         const cudaGraphNode_t *after, size_t n)
{
    if (capturing(s))
        return refuse(cudaErrorIllegalState, "cudaStreamBeginCapture: the "
                      "stream is being recorded");
    follow(s, false, g, after, n, false);
    find(s, false)->first = true;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s,
                                   enum cudaStreamCaptureMode mode)
{
    cudaGraph_t g;
    (void)mode;
    ENTER();
    if (!s || s == cudaStreamLegacy)
        return refuse(cudaErrorNotSupported, "cudaStreamBeginCapture: the "
                      "default stream cannot be recorded: make one");
    cudaError_t code = cudaGraphCreate(&g, 0);
    return code ? code : begin(s, g, NULL, 0);
}

cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *after,
    const cudaGraphEdgeData *d, size_t n, enum cudaStreamCaptureMode mode)
{
    (void)d, (void)mode;
    ENTER();
    return begin(s, g, after, n);
}

/* All streams and events of the graph are as they were. */
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g)
{
    ENTER();
    struct Recorded *r = find(s, false);
    if (!r || !r->first)
        return refuse(cudaErrorIllegalState, "cudaStreamEndCapture: no "
                      "recording began with this stream");
    cudaGraph_t graph = r->graph;
    for (size_t i = 0; i < n_recorded; i++)
        if (recorded[i].graph == graph) {
            free(recorded[i].last);
            recorded[i--] = recorded[--n_recorded];
        }
    if (g)
        *g = graph;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s,
                                  enum cudaStreamCaptureStatus *status)
{
    ENTER();
    *status = capturing(s) ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t simt_capture_info(cudaStream_t s,
                              enum cudaStreamCaptureStatus *status,
                              cudaGraph_t *g, const cudaGraphNode_t **after,
                              size_t *n)
{
    ENTER();
    struct Recorded *r = find(s, false);
    *status = r ? cudaStreamCaptureStatusActive
                : cudaStreamCaptureStatusNone;
    if (g)
        *g = r ? r->graph : NULL;
    if (after)
        *after = r ? r->last : NULL;
    if (n)
        *n = r ? r->n : 0;
    return cudaSuccess;
}

cudaError_t simt_capture_follow(cudaStream_t s, cudaGraphNode_t *after,
                                size_t n, unsigned flags)
{
    ENTER();
    struct Recorded *r = find(s, false);
    if (!r)
        return refuse(cudaErrorIllegalState, "cudaStreamUpdateCapture"
                      "Dependencies: the stream is not being recorded");
    follow(s, false, r->graph, after, n,
           flags != cudaStreamSetCaptureDependencies);
    return cudaSuccess;
}
