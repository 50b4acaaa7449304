#define MRN_DIM 3
#include "second_look.c"
