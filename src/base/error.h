// Filling an MrnError.
#ifndef MRN_BASE_ERROR_H
#define MRN_BASE_ERROR_H

#include <moraine/error.h>

/// Fill `error` (which may be NULL) and return false, so that a caller can write `return mrn_fail(error, ...)`.
bool mrn_fail(MrnError *error, MrnErrorCode code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
