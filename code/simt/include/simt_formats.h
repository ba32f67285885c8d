/* Tangled from chapters/workshop/foreign-features.nw, "What a kernel does with them".  Edit it there. */

/* The format of an array's elements, by their type. */
#ifndef SIMT_FORMATS_H
#define SIMT_FORMATS_H

/* the type of an element */
template <class T> struct simt_channels {
    typedef T type; enum { n = 1 };
};
#define SIMT_CHANNELS(T, base)                                           \
    template <> struct simt_channels<base##1> {                         \
        typedef T type; enum { n = 1 }; };                               \
    template <> struct simt_channels<base##2> {                         \
        typedef T type; enum { n = 2 }; };                               \
    template <> struct simt_channels<base##3> {                         \
        typedef T type; enum { n = 3 }; };                               \
    template <> struct simt_channels<base##4> {                         \
        typedef T type; enum { n = 4 }; };
SIMT_CHANNELS(float, float)
SIMT_CHANNELS(int, int)
SIMT_CHANNELS(unsigned, uint)
SIMT_CHANNELS(short, short)
SIMT_CHANNELS(unsigned short, ushort)
SIMT_CHANNELS(signed char, char)
SIMT_CHANNELS(unsigned char, uchar)

/* formats by the type of an element */
template <class C> struct simt_format_kind {
    enum { kind = (C)-1 < (C)0 ? cudaChannelFormatKindSigned
                               : cudaChannelFormatKindUnsigned };
};
template <> struct simt_format_kind<float> {
    enum { kind = cudaChannelFormatKindFloat };
};
template <class T>
SIMT_PLAIN cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename simt_channels<T>::type C;
    const int bits = 8 * sizeof(C), n = simt_channels<T>::n;
    return { bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
             (cudaChannelFormatKind)simt_format_kind<C>::kind };
}
SIMT_PLAIN cudaChannelFormatDesc cudaCreateChannelDesc(
    int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return { x, y, z, w, f };
}
SIMT_PLAIN cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return { 16, 0, 0, 0, cudaChannelFormatKindFloat };
}
#endif
