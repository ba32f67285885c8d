/* Tangled from chapters/course/text-and-tokens-solutions.nw, "Sixteen bytes at a time".  Edit it there. */

// text-and-tokens/characters: sixteen bytes at a time
//
// text has n bytes of UTF-8.  Every byte of a character but its first one
// has the bits 10xxxxxx, and no first byte has.  begins[t] is to be the
// number of characters that begin in bytes 16 t to 16 t + 15.  The grid has
// a thread for each 16 bytes, in blocks of 128.  text begins at a multiple
// of 16 bytes, and n is a multiple of 16: zeros, which are characters,
// fill it up.  The kernel is right.  Let a thread load its bytes at once,
// and count four of them with a few operations on one word.

__global__ void characters(int *begins, const unsigned char *text, int n)
{
    int t = blockIdx.x * 128 + threadIdx.x, count = 0;
    if (16 * t >= n)
        return;
    for (int i = 0; i < 16; i++)
        count += (text[16 * t + i] & 0xc0) != 0x80;
    begins[t] = count;
}
