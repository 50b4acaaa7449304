#define MRN_DIM 3
#include "moreau_jean.c"
