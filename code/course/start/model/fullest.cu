/* Tangled from chapters/course/model-solutions.nw, "Broken: the fullest step".  Edit it there. */

// model/fullest: broken code
//
// A plan has n buffers.  Buffer i has size[i] units and is alive from step
// from[i] to step to[i]: it is written in the first and read in the last,
// so it needs its memory in both.  The steps are 0 to steps - 1.  most[0]
// is the largest number of units that are alive in one step, and most[1]
// is the first step with so many.  The kernel runs in one thread.
// `change` has `steps` ints, which are 0 at first: the kernel notes by how
// much the sum changes at each step, and adds the changes up.  The kernel
// finds too little, and once that is repaired, another thing is wrong.

__global__ void fullest(int *most, int *change, const int *size,
                        const int *from, const int *to, int n, int steps)
{
    for (int i = 0; i < n; i++) {
        change[from[i]] += size[i];
        change[to[i]] -= size[i];
    }
    int alive = 0;
    most[0] = most[1] = 0;
    for (int s = 0; s < steps; s++) {
        alive += change[s];
        if (alive >= most[0]) {
            most[0] = alive;
            most[1] = s;
        }
    }
}
