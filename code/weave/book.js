/* Appendix A, The loom: A.9.5 The script */
/* Tangled from chapters/a-loom.nw by `make tangle`; edit it there. */

"use strict";
