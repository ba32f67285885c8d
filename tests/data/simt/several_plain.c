int plain(int i);
int warn(void);
int warn(void) { return 100; }  /* a name that our library has, too */
int plain(int i) { return i + warn(); }
