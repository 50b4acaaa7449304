// Sheets: columns of numbers with names and units.
#include "measure/sheet.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *formatted(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
static char *formatted(const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

void mrn_sheet_free(MrnSheet *sheet) {
    free(sheet->title);
    for (size_t i = 0; i < sheet->columns.count; i++) {
        free(sheet->columns.data[i].name);
        free(sheet->columns.data[i].unit);
    }
    for (size_t i = 0; i < sheet->notes.count; i++) free(sheet->notes.data[i]);
    mrn_array_free(&sheet->columns);
    mrn_array_free(&sheet->values);
    mrn_array_free(&sheet->notes);
    sheet->title = NULL;
}

void mrn_sheet_title(MrnSheet *sheet, const char *format, ...) {
    va_list list;
    va_start(list, format);
    free(sheet->title);
    sheet->title = formatted(format, list);
    va_end(list);
}

size_t mrn_sheet_column(MrnSheet *sheet, const char *name, const char *unit, MrnColumnStyle style) {
    assert(sheet->values.count == 0);
    MrnSheetColumn column = {.name = mrn_strdup(name), .unit = mrn_strdup(unit ? unit : "1"), .style = style};
    mrn_array_push(&sheet->columns, column);
    return sheet->columns.count - 1;
}

void mrn_sheet_row(MrnSheet *sheet, const double *values) {
    for (size_t i = 0; i < sheet->columns.count; i++) mrn_array_push(&sheet->values, values[i]);
}

void mrn_sheet_note(MrnSheet *sheet, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *text = formatted(format, list);
    va_end(list);
    mrn_array_push(&sheet->notes, text);
}

size_t mrn_sheet_rows(const MrnSheet *sheet) {
    return sheet->columns.count ? sheet->values.count / sheet->columns.count : 0;
}

double mrn_sheet_value(const MrnSheet *sheet, size_t row, size_t column) {
    assert(row < mrn_sheet_rows(sheet) && column < sheet->columns.count);
    return sheet->values.data[row * sheet->columns.count + column];
}

static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '_' || *a == ' ') && (*b == '_' || *b == ' '))) return false;
    return *a == *b;
}

int mrn_sheet_find(const MrnSheet *sheet, const char *name) {
    for (size_t i = 0; i < sheet->columns.count; i++)
        if (same_name(sheet->columns.data[i].name, name)) return (int)i;
    return -1;
}

double mrn_sheet_mean(const MrnSheet *sheet, size_t column) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < mrn_sheet_rows(sheet); i++) {
        double value = mrn_sheet_value(sheet, i, column);
        if (isfinite(value)) sum += value, count++;
    }
    return count ? sum / (double)count : NAN;
}

/// A field of a CSV file: in quotes where a comma or a quote stands in it.
static void write_field(FILE *out, const char *text) {
    bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote) putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    if (quote) putc('"', out);
}

/// A remark stays one line.
static void write_remark(FILE *out, const char *text) {
    fputs("# ", out);
    for (; *text; text++) putc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    putc('\n', out);
}

void mrn_sheet_write_csv(const MrnSheet *sheet, FILE *out) {
    if (sheet->title) write_remark(out, sheet->title);
    for (size_t i = 0; i < sheet->notes.count; i++) write_remark(out, sheet->notes.data[i]);
    for (size_t i = 0; i < sheet->columns.count; i++) {
        const MrnSheetColumn *column = &sheet->columns.data[i];
        size_t size = strlen(column->name) + strlen(column->unit) + 4;
        char *head = mrn_alloc(size, 1);
        snprintf(head, size, strcmp(column->unit, "1") == 0 ? "%s" : "%s (%s)", column->name, column->unit);
        if (i) putc(',', out);
        write_field(out, head);
        free(head);
    }
    putc('\n', out);
    for (size_t row = 0; row < mrn_sheet_rows(sheet); row++) {
        for (size_t i = 0; i < sheet->columns.count; i++) {
            double value = mrn_sheet_value(sheet, row, i);
            if (i) putc(',', out);
            if (isfinite(value)) fprintf(out, "%.17g", value);
        }
        putc('\n', out);
    }
}
