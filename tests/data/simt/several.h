void other(int *p);
#ifdef __cplusplus
extern "C"
#endif
int plain(int i);
