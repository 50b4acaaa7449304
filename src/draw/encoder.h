// A video encoder: the program ffmpeg, fed with raw pictures through a pipe.
#ifndef MRN_DRAW_ENCODER_H
#define MRN_DRAW_ENCODER_H

#include "draw/draw.h"

typedef struct MrnEncoder MrnEncoder;

/// The ending of `path` is one that an encoder can write: .mp4, .webm or .gif.
bool mrn_encoder_knows(const char *path, MrnError *error);
/// Start ffmpeg (found through PATH, or named by the environment variable MORAINE_FFMPEG). The film appears under its
/// name when mrn_encoder_close has succeeded.
MrnEncoder *mrn_encoder_open(const char *path, int width, int height, double pictures_per_second, MrnError *error);
/// Hand over the next picture; false when ffmpeg has ended: mrn_encoder_close says why.
bool mrn_encoder_put(MrnEncoder *encoder, const MrnImage *image);
bool mrn_encoder_close(MrnEncoder *encoder, MrnError *error);
void mrn_encoder_discard(MrnEncoder *encoder); ///< stop and leave nothing; NULL is fine

#endif
