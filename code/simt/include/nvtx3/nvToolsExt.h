/* Tangled from chapters/workshop/foreign-features.nw, "Profile ranges, and other headers".  Edit it there. */

#include "../nvToolsExt.h"
