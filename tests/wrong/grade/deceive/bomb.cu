// says: does not compile
template <int a, int b> struct Twice {
    static constexpr long value = Twice<a - 1, b>::value + Twice<a - 1, b + (1 << a)>::value;
};
template <int b> struct Twice<0, b> { static constexpr long value = b; };
__global__ void add(float *z, const float *x, const float *y, int n)
{
    z[0] = Twice<26, 0>::value;
}
