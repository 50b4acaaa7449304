#define MRN_ROUND
#define MRN_DIM 3
#include "nlgs_single.c"
