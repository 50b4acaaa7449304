#define MRN_DIM 3
#include "rigid.c"
