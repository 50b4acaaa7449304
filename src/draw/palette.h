// Colours: perceptually uniform maps and a categorical list that colour-blind eyes can tell apart.
#ifndef MRN_DRAW_PALETTE_H
#define MRN_DRAW_PALETTE_H

#include "draw/draw.h"

typedef struct MrnColor {
    double r, g, b;
} MrnColor; ///< sRGB, 0..1

/// Colour of lightness L, chroma C and hue h (degrees) in OKLCh; chroma is lowered until the screen can show it.
MrnColor mrn_color_lch(double lightness, double chroma, double hue);
/// OKLab coordinates of a colour: distances there are perceived differences.
void mrn_color_lab(MrnColor color, double lab[3]);
MrnColor mrn_color_mix(MrnColor a, MrnColor b, double share_of_b); ///< in OKLab
/// Lightness changed by `amount`, hue kept.
MrnColor mrn_color_lighten(MrnColor color, double amount);
double mrn_color_linear(double srgb);    ///< one component, to linear light
double mrn_color_encoded(double linear); ///< and back

typedef enum MrnMapKind { MRN_MAP_SEQUENTIAL, MRN_MAP_DIVERGING } MrnMapKind;
enum { MRN_MAP_SIZE = 256 };
/// Fill a table in which neighbours are equally different. 0 is close to the background, so that what is large stands
/// out.
void mrn_color_map(MrnMapKind kind, MrnTheme theme, MrnColor table[MRN_MAP_SIZE]);
MrnColor mrn_color_look_up(const MrnColor table[MRN_MAP_SIZE], double t); ///< t is clamped to 0..1

/// Colours for curves (index from 0; repeats after 8) and for the materials of bodies.
MrnColor mrn_color_curve(int index, MrnTheme theme);
MrnColor mrn_color_material(int index, MrnTheme theme);

/// The colours of the page.
typedef struct MrnInk {
    MrnColor paper, text, faint;     ///< background, letters, grid lines
    MrnColor obstacle, driven, edge; ///< fixed bodies, driven bodies, outlines
    MrnColor strong, weak;           ///< force chains
    MrnColor open, stick, slip;      ///< contacts
    MrnColor warning;
} MrnInk;
MrnInk mrn_color_ink(MrnTheme theme);

#endif
