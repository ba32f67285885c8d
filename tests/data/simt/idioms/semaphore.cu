// A semaphore lets three threads in at a time; they take a free seat, which
// nobody else may be using, and leave.
// Dijkstra's counting semaphore; Cheng, Grossman, McKercher, Professional
// CUDA C Programming, chapter 7, on atomic operations.
#include "idiom.h"

enum { SEATS = 3 };

__global__ void visit(int *free_seats, int *seats, int *used, int *most)
{
    int n;
    do
        n = atomicAdd(free_seats, 0);
    while (n <= 0 || atomicCAS(free_seats, n, n - 1) != n);
    atomicMax(most, SEATS - n + 1);
    int s = 0;
    while (atomicCAS(&seats[s], 0, 1) != 0)
        s = (s + 1) % SEATS;
    __threadfence();
    used[s] += 1;                       /* alone on this seat */
    __threadfence();
    atomicExch(&seats[s], 0);
    atomicAdd(free_seats, 1);
}

int main(void)
{
    enum { B = 2, T = 65 };
    int start = SEATS, used[SEATS], most, end, all = 0;
    int *n = device(&start, 1), *du = zeroes<int>(SEATS);
    int *dm = zeroes<int>(1);
    visit<<<B, T>>>(n, zeroes<int>(SEATS), du, dm);
    fetch(used, du, SEATS);
    fetch(&most, dm, 1);
    fetch(&end, n, 1);
    for (int s = 0; s < SEATS; s++)
        all += used[s];
    same("visits", 0, all, B * T);
    same("at once", most, most >= 1 && most <= SEATS, true);
    same("free at the end", 0, end, (int)SEATS);
    return done();
}
