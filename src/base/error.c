// Error codes to names and formatted messages.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *mrn_error_name(MrnErrorCode code) {
    switch (code) {
#define X(name, text)                                                                                                  \
    case name: return text;
        MRN_ERROR_LIST(X)
#undef X
    }
    return "unknown error";
}

bool mrn_fail(MrnError *error, MrnErrorCode code, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return false;
}
