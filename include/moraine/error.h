// Errors: what cannot be done (bad file, bad value, no memory) and why.
//
// A function that can fail returns false or NULL and fills the MrnError it was given. A solve that did not converge is
// not an error: see MrnSolveInfo. A programmer's mistake asserts.
#ifndef MORAINE_ERROR_H
#define MORAINE_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The list of error codes, once: it makes the enum and the names.
#define MRN_ERROR_LIST(X)                                                                                              \
    X(MRN_OK, "no error")                                                                                              \
    X(MRN_ERROR_INPUT, "bad input")                                                                                    \
    X(MRN_ERROR_FILE, "cannot read or write a file")                                                                   \
    X(MRN_ERROR_MEMORY, "out of memory")                                                                               \
    X(MRN_ERROR_UNSUPPORTED, "not possible with this solver, stepper or build")

typedef enum MrnErrorCode {
#define X(code, text) code,
    MRN_ERROR_LIST(X)
#undef X
} MrnErrorCode;

/// An error with its message. Zero-initialise it: MrnError error = {0};
typedef struct MrnError {
    MrnErrorCode code;
    char message[1024]; ///< one sentence that names file, line and field where there is one
} MrnError;

/// The fixed text of an error code.
const char *mrn_error_name(MrnErrorCode code);

#ifdef __cplusplus
}
#endif
#endif
