/* Tangled from chapters/workshop/foreign-features.nw, "Pipelines".  Edit it there. */

#ifndef SIMT_SPACES_H
#define SIMT_SPACES_H
SIMT_DEVICE unsigned __isShared(const void *p)
{
    return __nvvm_isspacep_shared(p);
}
SIMT_DEVICE unsigned __isGlobal(const void *p)
{
    return __nvvm_isspacep_global(p);
}
SIMT_DEVICE unsigned __isLocal(const void *p)
{
    return __nvvm_isspacep_local(p);
}
SIMT_DEVICE unsigned __isConstant(const void *p)
{
    return __nvvm_isspacep_const(p);
}
#endif
