// Outlines from files: simplifying them, and tracing them in pictures.
#ifndef MRN_IO_OUTLINE_H
#define MRN_IO_OUTLINE_H

#include <moraine/error.h>
#include <stddef.h>

/// Drop vertices of a closed outline, the least important first, until `wanted` are left. Returns how many are left.
size_t mrn_outline_simplify(size_t count, double *vertices, size_t wanted);

#endif
