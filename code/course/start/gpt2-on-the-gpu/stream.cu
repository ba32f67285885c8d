/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "When is the step over?".  Edit it there. */

// gpt2-on-the-gpu/stream: when is the step over?
//
// A step is n kernels in a stream.  The host launches one after the other,
// from time 0 on without a pause, and launch i takes it host[i] ns.
// Kernel i takes device[i] ns.  It begins when it has been launched and
// kernel i - 1 has ended, whatever comes last.  t[0] is the time when the
// last kernel has ended; t[1] is the time before it in which no kernel
// ran.  All sums are below 2^31, and no number is negative.
//
// The grid is one warp.  The kernel is right, but one lane does all the
// work, since the end of a kernel depends on the end of the kernel before.
// Let each lane take a part of the stream.

__global__ void end_of_step(int *t, const int *host, const int *device,
                            int n)
{
    if (threadIdx.x)
        return;
    int launched = 0, end = 0, busy = 0;
    for (int i = 0; i < n; i++) {
        launched += host[i];
        end = max(end, launched) + device[i];
        busy += device[i];
    }
    t[0] = end;
    t[1] = end - busy;
}
