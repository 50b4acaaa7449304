#define MRN_ROUND
#include "nlgs.c"
