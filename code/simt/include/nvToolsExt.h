/* Tangled from chapters/workshop/foreign-features.nw, "Profile ranges, and other headers".  Edit it there. */

#ifndef SIMT_NVTOOLSEXT_H
#define SIMT_NVTOOLSEXT_H
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof( \
    nvtxEventAttributes_t))
typedef uint64_t nvtxRangeId_t;
typedef enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum {
    NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII,
    NVTX_MESSAGE_TYPE_UNICODE,
} nvtxMessageType_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union { uint64_t ullValue; int64_t llValue; double dValue; } payload;
    int32_t messageType;
    union { const char *ascii; const wchar_t *unicode; } message;
} nvtxEventAttributes_t;

#define SIMT_NVTX static inline __attribute__((unused))
SIMT_NVTX int nvtxRangePushA(const char *name) { return name ? 0 : -1; }
SIMT_NVTX int nvtxRangePop(void) { return 0; }
SIMT_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *e)
{
    return e ? 0 : -1;
}
SIMT_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *e)
{
    return e ? 1 : 0;
}
SIMT_NVTX nvtxRangeId_t nvtxRangeStartA(const char *name)
{
    return name ? 1 : 0;
}
SIMT_NVTX void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
SIMT_NVTX void nvtxMarkA(const char *name) { (void)name; }
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#endif
