#define MRN_DIM 3
#include "pivots.c"
