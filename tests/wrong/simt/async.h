/* Four bytes from global to shared memory, without passing a register. */
static __device__ void copy_async(float *to, const float *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(s), "l"(from) : "memory");
}
#define COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)   asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")
