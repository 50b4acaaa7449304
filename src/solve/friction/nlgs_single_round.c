#define MRN_ROUND
#include "nlgs_single.c"
