// Numbers as people read them: nice tick steps, SI prefixes, short texts.
#ifndef MRN_DRAW_NUMBER_H
#define MRN_DRAW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/// The largest of 1, 2, 5 times a power of ten that is <= x (x > 0).
double mrn_number_nice_below(double x);

/// A unit with the prefix that suits values up to `largest`: value in the new unit = value / factor. Times beyond
/// minutes are given in min, h, d. Units without a name ("1", NULL) get a power of ten: text "10^{6}", or "" when none
/// is needed.
typedef struct MrnScaledUnit {
    double factor;
    char text[48]; ///< "ms", "kJ", "10^{6}"
} MrnScaledUnit;
MrnScaledUnit mrn_number_unit(const char *unit, double largest);

/// Shortest decimal text of a tick value that is a multiple of `step`, with a true minus sign.
void mrn_number_tick(double value, double step, char *text, size_t size);
/// Text with unit and three significant digits: "1.25 ms".
void mrn_number_with_unit(double value, const char *unit, char *text, size_t size);

#endif
