// Numbers as text: the shortest decimal that reads back as the same double.
#ifndef MRN_BASE_DECIMAL_H
#define MRN_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/// Room that any number needs; bytes behind its end may be written, but not behind this room.
enum { MRN_DECIMAL_ROOM = 40 };

/// Write a finite double; returns the end of the text. Powers of ten from 1e-5 to 1e16 are written out, others have an
/// exponent; no locale changes the point. NaN and infinities give "nan", "inf" and "-inf".
char *mrn_decimal_write(char *out, double value);
char *mrn_decimal_write_integer(char *out, int64_t value);
/// value / 10^decimals, without zeros at its end; 0 <= decimals <= 18.
char *mrn_decimal_write_fixed(char *out, int64_t value, int decimals);

#endif
