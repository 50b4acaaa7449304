// A film of a run: pictures at even times with one camera and one colour scale.
#ifndef MRN_DRAW_MOVIE_H
#define MRN_DRAW_MOVIE_H

#include "draw/draw.h"

/// Told after each batch of pictures. Return false to stop; then no film is left.
typedef bool MrnMovieProgress(void *context, size_t done, size_t count);

/// Start from mrn_movie_defaults().
typedef struct MrnMovieOptions {
    MrnDrawOptions draw;        ///< what pictures look like; box, colour scale and mean impulse are found from the run
    double rate;                ///< pictures per second, 1..240, default 30
    double speed;               ///< simulated seconds per second of film, > 0; 0 (default): each frame once
    bool smooth;                ///< between frames, bodies are where a straight motion takes them; default false
    int64_t first, last;        ///< frames from 0, both included; negative: from the end; default 0 and -1
    int threads;                ///< that draw; 0 (default): as many as there are processors
    MrnMovieProgress *progress; ///< or NULL
    void *progress_context;
} MrnMovieOptions;

MrnMovieOptions mrn_movie_defaults(int dimension);

typedef struct MrnMovieSummary {
    size_t pictures;
    int width, height;
    double speed;  ///< simulated seconds per second of film
    double length; ///< s of film
    double wall_seconds;
    bool stopped;
} MrnMovieSummary;

/// Write .mp4, .webm or .gif.
bool mrn_movie_write(MrnRunFile *file, const MrnScene *scene, const MrnMovieOptions *options, const char *path,
                     MrnMovieSummary *summary, MrnError *error);

#endif
