// Writing HTML: everything that comes from a scene or a path is escaped here.
#include "report/section.h"

#include "draw/number.h"
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static size_t utf8_length(const unsigned char *s) {
    size_t length = s[0] < 0x80                    ? 1
                    : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
                    : (s[0] & 0xf0) == 0xe0        ? 3
                    : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return length;
}

static void put_text(MrnOutput *out, const char *text, bool marks) {
    bool raised = false;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        if (marks && !raised && c[0] == '^' && c[1] == '{') {
            mrn_output_text(out, "<sup>");
            raised = true;
            c += 2;
            continue;
        }
        if (raised && *c == '}') {
            mrn_output_text(out, "</sup>");
            raised = false;
            c++;
            continue;
        }
        size_t length = utf8_length(c);
        if (*c == '<')
            mrn_output_text(out, "&lt;");
        else if (*c == '>')
            mrn_output_text(out, "&gt;");
        else if (*c == '&')
            mrn_output_text(out, "&amp;");
        else if (*c == '"')
            mrn_output_text(out, "&quot;");
        else if (!length || (*c < 0x20 && *c != '\n' && *c != '\t' && *c != '\r'))
            mrn_output_text(out, "\xef\xbf\xbd"); // the replacement character
        else
            mrn_output_write(out, c, length);
        c += length ? length : 1;
    }
    if (raised) mrn_output_text(out, "</sup>");
}

void mrn_html_text(MrnOutput *out, const char *text) {
    put_text(out, text, false);
}

static void text_list(MrnOutput *out, const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    put_text(out, text, true);
    free(text);
}

void mrn_html_format(MrnOutput *out, const char *format, ...) {
    va_list list;
    va_start(list, format);
    text_list(out, format, list);
    va_end(list);
}

void mrn_html_number(MrnOutput *out, double value, const char *unit) {
    char text[96];
    mrn_number_with_unit(value, unit, text, sizeof text);
    put_text(out, text, true);
}

MrnPower mrn_power(double value) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    MrnPower power;
    char plain[32], *e;
    snprintf(plain, sizeof plain, "%.1e", value);
    if (value == 0 || !(e = strchr(plain, 'e'))) { // also infinities and NaN
        snprintf(power.text, sizeof power.text, "%g", value);
        return power;
    }
    int exponent = atoi(e + 1);
    *e = 0;
    const char *mantissa = plain + (plain[0] == '-');
    bool one = strcmp(mantissa, "1.0") == 0;
    size_t used = (size_t)snprintf(power.text, sizeof power.text, "%s%s%s10%s", plain[0] == '-' ? "−" : "",
                                   one ? "" : mantissa, one ? "" : "·", exponent < 0 ? "⁻" : "");
    char digits[8];
    snprintf(digits, sizeof digits, "%d", abs(exponent) % 1000);
    for (char *d = digits; *d; d++)
        used += (size_t)snprintf(power.text + used, sizeof power.text - used, "%s", raised[*d - '0']);
    return power;
}

void mrn_html_data_uri(MrnOutput *out, const char *type, const void *data, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *d = data;
    mrn_output_format(out, "data:%s;base64,", type);
    for (size_t i = 0; i < size; i += 3) {
        unsigned long bits = (unsigned long)d[i] << 16;
        if (i + 1 < size) bits |= (unsigned long)d[i + 1] << 8;
        if (i + 2 < size) bits |= d[i + 2];
        char four[4] = {letters[bits >> 18 & 63], letters[bits >> 12 & 63],
                        i + 1 < size ? letters[bits >> 6 & 63] : '=', i + 2 < size ? letters[bits & 63] : '='};
        mrn_output_write(out, four, 4);
    }
}

void mrn_html_row(MrnOutput *out, const char *name, const char *format, ...) {
    mrn_output_text(out, "<tr><th scope=\"row\">");
    mrn_html_text(out, name);
    mrn_output_text(out, "</th><td>");
    va_list list;
    va_start(list, format);
    text_list(out, format, list);
    va_end(list);
    mrn_output_text(out, "</td></tr>\n");
}

void mrn_html_row_number(MrnOutput *out, const char *name, double value, const char *unit) {
    char text[96];
    mrn_number_with_unit(value, unit, text, sizeof text);
    mrn_html_row(out, name, "%s", text);
}
