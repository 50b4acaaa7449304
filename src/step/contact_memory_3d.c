#define MRN_DIM 3
#include "contact_memory.c"
