/* Tangled from chapters/workshop/foreign-features.nw, "Textures and surfaces".  Edit it there. */

/* What a texture or a surface is, as kernels read it. */
#ifndef SIMT_TEXTURE_WORDS_H
#define SIMT_TEXTURE_WORDS_H

struct simt_texture {
    unsigned long long data;    /* address of the first element          */
    unsigned long long slice;   /* bytes of a layer                      */
    unsigned pitch, element;    /* bytes of a row, of an element         */
    int size[3];                /* elements; 1: no such dimension        */
    int channels, bits, kind;   /* cudaChannelFormatKind                 */
    int address[3], filter, read, normalized;
    float border[4];
    int cube;
};

#endif
