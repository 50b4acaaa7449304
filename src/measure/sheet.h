// A sheet: named columns of numbers with units, a title, and remarks in words. What a measure gives, and what is drawn
// or written to a file.
#ifndef MRN_MEASURE_SHEET_H
#define MRN_MEASURE_SHEET_H

#include "base/memory.h"
#include <stdbool.h>
#include <stdio.h>

/// How the values of a column are drawn.
typedef enum MrnColumnStyle {
    MRN_COLUMN_LINE,
    MRN_COLUMN_DASHED,
    MRN_COLUMN_POINTS,
    MRN_COLUMN_HIDDEN ///< in files, not in plots
} MrnColumnStyle;

typedef struct MrnSheetColumn {
    char *name; ///< in words: "mean speed"
    char *unit; ///< SI unit: "m/s"; "1": none
    MrnColumnStyle style;
    bool logarithmic; ///< drawn on a logarithmic axis
} MrnSheetColumn;

/// Zero-initialise it. A value that does not exist is NAN.
typedef struct MrnSheet {
    char *title; ///< one line, or NULL
    MRN_ARRAY(MrnSheetColumn) columns;
    MRN_ARRAY(double) values; ///< row by row, one value per column
    MRN_ARRAY(char *) notes;  ///< one sentence each: conventions, means over the window, what was left out
} MrnSheet;

void mrn_sheet_free(MrnSheet *sheet); ///< what it holds; it is empty again
void mrn_sheet_title(MrnSheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Add a column, before the first row. Returns its number.
size_t mrn_sheet_column(MrnSheet *sheet, const char *name, const char *unit, MrnColumnStyle style);
/// Add a row: one value per column.
void mrn_sheet_row(MrnSheet *sheet, const double *values);
void mrn_sheet_note(MrnSheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t mrn_sheet_rows(const MrnSheet *sheet);
double mrn_sheet_value(const MrnSheet *sheet, size_t row, size_t column);
int mrn_sheet_find(const MrnSheet *sheet, const char *name); ///< column of that name ('_' and ' ' are the same), or -1
double mrn_sheet_mean(const MrnSheet *sheet, size_t column); ///< of the finite values; NAN if there is none

/// Comma-separated values: title and notes as lines that begin with #, the names with units, then the rows with 17
/// digits; what is not finite is left empty.
void mrn_sheet_write_csv(const MrnSheet *sheet, FILE *out);

#endif
