// Colour maps and lists, made in OKLab (Ottosson 2020), where equal distances look equally different.
//
// Maps are curves in that space walked at constant speed, monotone in lightness, so they also read in grey and for
// colour-blind eyes. The categorical list varies lightness together with hue for the same reason.
#include "draw/palette.h"

#include <math.h>

double mrn_color_linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}
double mrn_color_encoded(double c) {
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void lab_to_linear(const double lab[3], double rgb[3]) {
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

void mrn_color_lab(MrnColor color, double lab[3]) {
    double r = mrn_color_linear(color.r), g = mrn_color_linear(color.g), b = mrn_color_linear(color.b);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double clamp_unit(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/// Nearest colour of the same lightness and hue that the screen can show.
static MrnColor color_of_lab(const double lab[3]) {
    double low = 0, high = 1, rgb[3];
    for (int i = 0; i < 24; i++) {
        double share = i == 0 ? 1 : 0.5 * (low + high), tried[3] = {lab[0], share * lab[1], share * lab[2]};
        lab_to_linear(tried, rgb);
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && rgb[k] >= -1e-4 && rgb[k] <= 1 + 1e-4;
        if (inside)
            low = share;
        else
            high = share;
        if (inside && i == 0) break;
    }
    return (MrnColor){mrn_color_encoded(clamp_unit(rgb[0])), mrn_color_encoded(clamp_unit(rgb[1])),
                      mrn_color_encoded(clamp_unit(rgb[2]))};
}

MrnColor mrn_color_lch(double lightness, double chroma, double hue) {
    double angle = hue * 0.017453292519943295;
    return color_of_lab((double[3]){lightness, chroma * cos(angle), chroma * sin(angle)});
}

MrnColor mrn_color_mix(MrnColor a, MrnColor b, double share) {
    double la[3], lb[3];
    mrn_color_lab(a, la);
    mrn_color_lab(b, lb);
    for (int k = 0; k < 3; k++) la[k] += share * (lb[k] - la[k]);
    return color_of_lab(la);
}

MrnColor mrn_color_lighten(MrnColor color, double amount) {
    double lab[3];
    mrn_color_lab(color, lab);
    lab[0] = clamp_unit(lab[0] + amount);
    return color_of_lab(lab);
}

/// A point of the curve before it is walked at constant speed.
static MrnColor map_point(MrnMapKind kind, MrnTheme theme, double t) {
    if (kind == MRN_MAP_SEQUENTIAL) {
        // From pale straw over orange and crimson to deep violet; walked the other way on dark paper.
        double s = theme == MRN_THEME_LIGHT ? t : 0.9 - 0.9 * t;
        return mrn_color_lch(0.955 - 0.685 * s, 0.045 + 0.56 * s * (1 - s) + 0.05 * s, 98 - 160 * pow(s, 1.15));
    }
    double side = 2 * t - 1, far = fabs(side), hue = side < 0 ? 255 : 42;
    double lightness = theme == MRN_THEME_LIGHT ? 0.955 - 0.50 * far : 0.30 + 0.48 * far;
    return mrn_color_lch(lightness, 0.17 * far, hue);
}

void mrn_color_map(MrnMapKind kind, MrnTheme theme, MrnColor table[MRN_MAP_SIZE]) {
    enum { FINE = 2048 };
    double length[FINE + 1], previous[3], lab[3];
    MrnColor fine[FINE + 1];
    for (int i = 0; i <= FINE; i++) {
        fine[i] = map_point(kind, theme, (double)i / FINE);
        mrn_color_lab(fine[i], lab);
        double step = 0;
        if (i)
            for (int k = 0; k < 3; k++) step += (lab[k] - previous[k]) * (lab[k] - previous[k]);
        length[i] = i ? length[i - 1] + sqrt(step) : 0;
        for (int k = 0; k < 3; k++) previous[k] = lab[k];
    }
    int at = 0;
    for (int i = 0; i < MRN_MAP_SIZE; i++) {
        double wanted = length[FINE] * i / (MRN_MAP_SIZE - 1);
        while (at < FINE && length[at] < wanted) at++;
        table[i] = fine[at];
    }
}

MrnColor mrn_color_look_up(const MrnColor table[MRN_MAP_SIZE], double t) {
    if (!(t > 0)) return table[0];
    if (t >= 1) return table[MRN_MAP_SIZE - 1];
    double at = t * (MRN_MAP_SIZE - 1);
    int i = (int)at;
    double s = at - i;
    MrnColor a = table[i], b = table[i + 1];
    return (MrnColor){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

/// Lightness, chroma, hue. Neighbours in the list differ in lightness as well as in hue.
static const double curves[8][3] = {
    {0.57, 0.141, 268}, {0.71, 0.172, 70},  {0.36, 0.122, 303}, {0.49, 0.090, 171},
    {0.38, 0.165, 25},  {0.76, 0.125, 234}, {0.30, 0.020, 70},  {0.70, 0.140, 340},
};

MrnColor mrn_color_curve(int index, MrnTheme theme) {
    const double *c = curves[((index % 8) + 8) % 8];
    return mrn_color_lch(theme == MRN_THEME_LIGHT ? c[0] : 0.55 + 0.95 * (c[0] - 0.38), c[1], c[2]);
}

/// Materials: stone and sand tones that stay behind force chains.
static const double materials[6][3] = {
    {0.86, 0.045, 82}, {0.80, 0.055, 245}, {0.84, 0.060, 150},
    {0.80, 0.065, 35}, {0.78, 0.055, 310}, {0.90, 0.070, 100},
};

MrnColor mrn_color_material(int index, MrnTheme theme) {
    const double *c = materials[((index % 6) + 6) % 6];
    return mrn_color_lch(theme == MRN_THEME_LIGHT ? c[0] : c[0] - 0.42, c[1], c[2]);
}

MrnInk mrn_color_ink(MrnTheme theme) {
    if (theme == MRN_THEME_DARK)
        return (MrnInk){.paper = mrn_color_lch(0.19, 0.012, 260),
                        .text = mrn_color_lch(0.93, 0.005, 260),
                        .faint = mrn_color_lch(0.33, 0.012, 260),
                        .obstacle = mrn_color_lch(0.36, 0.010, 260),
                        .driven = mrn_color_lch(0.42, 0.055, 250),
                        .edge = mrn_color_lch(0.13, 0.012, 260),
                        .strong = mrn_color_lch(0.84, 0.160, 85),
                        .weak = mrn_color_lch(0.64, 0.130, 50),
                        .open = mrn_color_lch(0.60, 0.005, 260),
                        .stick = mrn_color_lch(0.72, 0.120, 240),
                        .slip = mrn_color_lch(0.74, 0.180, 40),
                        .warning = mrn_color_lch(0.68, 0.200, 25)};
    return (MrnInk){.paper = {1, 1, 1},
                    .text = mrn_color_lch(0.25, 0.012, 260),
                    .faint = mrn_color_lch(0.91, 0.004, 260),
                    .obstacle = mrn_color_lch(0.80, 0.006, 260),
                    .driven = mrn_color_lch(0.76, 0.045, 250),
                    .edge = mrn_color_lch(0.40, 0.015, 70),
                    .strong = mrn_color_lch(0.42, 0.165, 25),
                    .weak = mrn_color_lch(0.64, 0.130, 45),
                    .open = mrn_color_lch(0.62, 0.005, 260),
                    .stick = mrn_color_lch(0.47, 0.140, 255),
                    .slip = mrn_color_lch(0.70, 0.180, 50),
                    .warning = mrn_color_lch(0.55, 0.220, 25)};
}
