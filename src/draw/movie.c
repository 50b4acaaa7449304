// A film of a run. See movie.h.
//
// First a look at up to 60 frames finds the box, the colour scale and the mean impulse that hold for the whole film.
// Then pictures are drawn in batches, one thread each, and go to the encoder in order: no picture touches the disk.
#include "draw/movie.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "draw/encoder.h"
#include "draw/picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_SEEN 60

MrnMovieOptions mrn_movie_defaults(int dimension) {
    MrnMovieOptions options = {.draw = mrn_draw_defaults(dimension), .rate = 30, .last = -1};
    options.draw.width = 1280;
    options.draw.height = 720;
    options.draw.supersample = 2;
    return options;
}

typedef struct Movie {
    MrnRunFile *file;
    const MrnModel *model;
    MrnMovieOptions options;
    size_t first, frame_count;
    double *times;
    size_t picture_count;
    MrnFrame near[2];     ///< frames that were read last, for motion between them
    size_t near_index[2]; ///< their numbers; SIZE_MAX: none
} Movie;

static bool choose_frames(Movie *movie, MrnError *error) {
    int64_t count = (int64_t)mrn_run_file_frame_count(movie->file), first = movie->options.first,
            last = movie->options.last;
    if (count == 0) return mrn_fail(error, MRN_ERROR_INPUT, "the run has no frames to draw");
    if (first < 0) first += count;
    if (last < 0) last += count;
    if (first < 0 || last >= count || first > last)
        return mrn_fail(error, MRN_ERROR_INPUT, "no frames %lld to %lld: the run has %lld, from 0 to %lld",
                        (long long)movie->options.first, (long long)movie->options.last, (long long)count,
                        (long long)count - 1);
    movie->first = (size_t)first;
    movie->frame_count = (size_t)(last - first) + 1;
    movie->times = mrn_alloc(movie->frame_count, sizeof *movie->times);
    return mrn_run_file_times(movie->file, movie->first, movie->frame_count, movie->times, error);
}

/// Box, colours and impulses that the whole film shares.
static bool look_around(Movie *movie, MrnError *error) {
    MrnDrawOptions *draw = &movie->options.draw;
    size_t seen = movie->frame_count < FRAMES_SEEN ? movie->frame_count : FRAMES_SEEN;
    double color_max = 0, impulse_sum = 0, impulse_count = 0, low[3], high[3];
    MrnDrawOptions plain = *draw;
    plain.color_max = plain.impulse_mean = 0;
    for (size_t i = 0; i < seen; i++) {
        MrnFrame frame;
        MrnPicture picture;
        size_t index = seen > 1 ? i * (movie->frame_count - 1) / (seen - 1) : 0;
        if (!mrn_run_file_frame_for(movie->file, movie->model, movie->first + index, &frame, error)) return false;
        if (draw->low[0] >= draw->high[0]) {
            double a[3], b[3];
            mrn_draw_bounds(movie->model, &frame, a, b);
            for (int k = 0; k < 3; k++) {
                low[k] = i ? fmin(low[k], a[k]) : a[k];
                high[k] = i ? fmax(high[k], b[k]) : b[k];
            }
        }
        bool fine = mrn_picture_prepare(&picture, movie->model, &frame, &plain, error);
        if (fine) {
            if (picture.has_scale) color_max = fmax(color_max, picture.scale_high);
            for (size_t l = 0; l < picture.link_count; l++) impulse_sum += picture.links[l].normal_impulse;
            impulse_count += (double)picture.link_count;
            mrn_picture_free(&picture);
        }
        mrn_frame_free(&frame);
        if (!fine) return false;
    }
    if (draw->low[0] >= draw->high[0]) {
        memcpy(draw->low, low, sizeof low);
        memcpy(draw->high, high, sizeof high);
    }
    if (!(draw->color_max > 0)) draw->color_max = color_max;
    if (!(draw->impulse_mean > 0) && impulse_count > 0) draw->impulse_mean = impulse_sum / impulse_count;
    return true;
}

static void *copy_of(const void *data, size_t size) {
    void *copy = mrn_alloc(size + 1, 1);
    memcpy(copy, data, size);
    return copy;
}

static MrnFrame copy_frame(const MrnFrame *frame, int dimension) {
    size_t d = (size_t)dimension, n = frame->body_count, turn = d == 2 ? 1 : 4, spin = d == 2 ? 1 : 3;
    MrnFrame copy = *frame;
    copy.position = copy_of(frame->position, d * n * sizeof(double));
    copy.rotation = copy_of(frame->rotation, turn * n * sizeof(double));
    copy.velocity = copy_of(frame->velocity, d * n * sizeof(double));
    copy.spin = copy_of(frame->spin, spin * n * sizeof(double));
    copy.active = copy_of(frame->active, n);
    copy.contacts = copy_of(frame->contacts, frame->contact_count * sizeof *frame->contacts);
    return copy;
}

/// The frame with this number (from the first of the film), kept for the next picture.
static const MrnFrame *get_frame(Movie *movie, size_t index, MrnError *error) {
    for (int i = 0; i < 2; i++)
        if (movie->near_index[i] == index) return &movie->near[i];
    int slot = movie->near_index[0] == SIZE_MAX || movie->near_index[0] < movie->near_index[1] ? 0 : 1;
    if (movie->near_index[1] == SIZE_MAX && movie->near_index[0] != SIZE_MAX) slot = 1;
    mrn_frame_free(&movie->near[slot]);
    movie->near_index[slot] = SIZE_MAX;
    if (!mrn_run_file_frame_for(movie->file, movie->model, movie->first + index, &movie->near[slot], error))
        return NULL;
    movie->near_index[slot] = index;
    return &movie->near[slot];
}

static void mix(double *a, const double *b, size_t count, double share) {
    for (size_t i = 0; i < count; i++) a[i] += share * (b[i] - a[i]);
}

/// Straight motion from `frame` towards `next`; contacts stay those of the nearer frame.
static void move_on(MrnFrame *frame, const MrnFrame *next, int dimension, double share) {
    size_t d = (size_t)dimension;
    if (share > 0.5) {
        free(frame->contacts);
        frame->contacts = copy_of(next->contacts, next->contact_count * sizeof *next->contacts);
        frame->contact_count = next->contact_count;
    }
    frame->time += share * (next->time - frame->time);
    for (size_t b = 0; b < frame->body_count; b++) {
        if (!frame->active[b] || !next->active[b]) continue;
        mix(frame->position + d * b, next->position + d * b, d, share);
        mix(frame->velocity + d * b, next->velocity + d * b, d, share);
        if (dimension == 2) {
            mix(frame->rotation + b, next->rotation + b, 1, share);
            mix(frame->spin + b, next->spin + b, 1, share);
            continue;
        }
        mix(frame->spin + 3 * b, next->spin + 3 * b, 3, share);
        double *q = frame->rotation + 4 * b, to[4], dot = 0;
        for (int k = 0; k < 4; k++) dot += q[k] * next->rotation[4 * b + (size_t)k];
        for (int k = 0; k < 4; k++) to[k] = (dot < 0 ? -1 : 1) * next->rotation[4 * b + (size_t)k]; // the short way
        mix(q, to, 4, share);
        mrn_quat_store(q, mrn_quat_normalize(mrn_quat_load(q)));
    }
}

/// What picture number `picture` shows; *same: the same as the one before.
static bool take_frame(Movie *movie, size_t picture, MrnFrame *out, size_t *shown, bool *same, MrnError *error) {
    double share = 0;
    size_t index = picture;
    if (movie->options.speed > 0) {
        double time = movie->times[0] + (double)picture * movie->options.speed / movie->options.rate;
        size_t low = 0, high = movie->frame_count; // the last frame at or before `time`
        double slack = 1e-9 * (fabs(time) + movie->options.speed / movie->options.rate);
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (movie->times[middle] <= time + slack)
                low = middle;
            else
                high = middle;
        }
        index = low;
        if (movie->options.smooth && index + 1 < movie->frame_count)
            share = (time - movie->times[index]) / (movie->times[index + 1] - movie->times[index]);
        share = fmin(fmax(share, 0), 1);
    }
    *same = picture > 0 && share == 0 && *shown == index;
    *shown = share == 0 ? index : SIZE_MAX;
    if (*same) return true;
    const MrnFrame *frame = get_frame(movie, index, error);
    if (!frame) return false;
    *out = copy_frame(frame, movie->model->dimension);
    if (share == 0) return true;
    const MrnFrame *next = get_frame(movie, index + 1, error);
    if (next) move_on(out, next, movie->model->dimension, share);
    if (!next) mrn_frame_free(out);
    return next != NULL;
}

/// Pictures that are drawn together.
typedef struct Batch {
    const Movie *movie;
    size_t count;
    MrnFrame *frames;
    bool *same; ///< as the picture before: nothing to draw
    MrnImage *images;
    MrnError *errors;
} Batch;

static void draw_some(void *context, size_t begin, size_t end, int thread) {
    Batch *batch = context;
    (void)thread;
    for (size_t i = begin; i < end; i++)
        if (!batch->same[i])
            mrn_draw_frame_image(batch->movie->model, &batch->frames[i], &batch->movie->options.draw, &batch->images[i],
                                 &batch->errors[i]);
}

static bool fill_batch(Movie *movie, Batch *batch, size_t first, size_t *shown, MrnError *error) {
    for (size_t i = 0; i < batch->count; i++) {
        batch->errors[i] = (MrnError){0};
        if (!take_frame(movie, first + i, &batch->frames[i], shown, &batch->same[i], error)) return false;
    }
    return true;
}

/// Draw and encode all pictures. *stopped: the progress callback asked to.
static bool make_pictures(Movie *movie, const char *path, MrnThreads *threads, MrnMovieSummary *summary,
                          MrnError *error) {
    size_t room = 2 * (size_t)mrn_threads_count(threads), shown = SIZE_MAX;
    Batch batch = {.movie = movie,
                   .frames = mrn_alloc_zero(room, sizeof *batch.frames),
                   .same = mrn_alloc_zero(room, sizeof *batch.same),
                   .images = mrn_alloc_zero(room, sizeof *batch.images),
                   .errors = mrn_alloc_zero(room, sizeof *batch.errors)};
    MrnImage last = {0};
    MrnEncoder *encoder = NULL;
    bool fine = true, taken = true;
    for (size_t first = 0; first < movie->picture_count && fine && taken && !summary->stopped; first += batch.count) {
        batch.count = movie->picture_count - first < room ? movie->picture_count - first : room;
        fine = fill_batch(movie, &batch, first, &shown, error);
        if (fine) mrn_threads_for(threads, batch.count, 1, draw_some, &batch);
        for (size_t i = 0; i < batch.count && fine && taken; i++) {
            if (batch.errors[i].code != MRN_OK) {
                *error = batch.errors[i];
                fine = false;
                break;
            }
            if (!batch.same[i]) {
                mrn_image_free(&last);
                last = batch.images[i];
                batch.images[i] = (MrnImage){0};
            }
            if (!encoder) {
                summary->width = last.width;
                summary->height = last.height;
                encoder = mrn_encoder_open(path, last.width, last.height, movie->options.rate, error);
                fine = encoder != NULL;
            }
            taken = fine && mrn_encoder_put(encoder, &last);
        }
        for (size_t i = 0; i < batch.count; i++) {
            mrn_frame_free(&batch.frames[i]);
            mrn_image_free(&batch.images[i]);
        }
        if (fine && movie->options.progress)
            summary->stopped =
                !movie->options.progress(movie->options.progress_context, first + batch.count, movie->picture_count);
    }
    if (fine && !summary->stopped)
        fine = mrn_encoder_close(encoder, error);
    else
        mrn_encoder_discard(encoder);
    mrn_image_free(&last);
    free(batch.frames);
    free(batch.same);
    free(batch.images);
    free(batch.errors);
    return fine;
}

bool mrn_movie_write(MrnRunFile *file, const MrnScene *scene, const MrnMovieOptions *options, const char *path,
                     MrnMovieSummary *summary, MrnError *error) {
    MrnMovieSummary own;
    if (!summary) summary = &own;
    *summary = (MrnMovieSummary){0};
    double start = mrn_wall_seconds();
    if (!mrn_encoder_knows(path, error)) return false;
    if (!(options->rate >= 1 && options->rate <= 240))
        return mrn_fail(error, MRN_ERROR_INPUT, "%g pictures per second: must be from 1 to 240", options->rate);
    if (!(options->speed >= 0 && isfinite(options->speed)))
        return mrn_fail(error, MRN_ERROR_INPUT, "speed %g: must be > 0", options->speed);
    Movie movie = {.file = file, .model = scene->model, .options = *options, .near_index = {SIZE_MAX, SIZE_MAX}};
    // Coders of colour want even sides.
    movie.options.draw.width -= movie.options.draw.width % 2;
    movie.options.draw.height -= movie.options.draw.height % 2;
    bool fine = choose_frames(&movie, error) && look_around(&movie, error);
    if (fine) {
        double span = movie.times[movie.frame_count - 1] - movie.times[0];
        if (options->speed > 0) {
            double pictures = floor(span / options->speed * options->rate + 1e-6) + 1;
            if (!(pictures < 1e7))
                fine = mrn_fail(error, MRN_ERROR_INPUT, "a film of %.3g pictures: raise the speed", pictures);
            else
                movie.picture_count = (size_t)pictures;
        } else {
            movie.picture_count = movie.frame_count;
        }
        summary->pictures = movie.picture_count;
        summary->length = (double)movie.picture_count / options->rate;
        summary->speed = options->speed > 0      ? options->speed
                         : movie.frame_count > 1 ? span / (double)(movie.frame_count - 1) * options->rate
                                                 : 0;
    }
    if (fine) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        MrnThreads *threads = mrn_threads_new(options->threads > 0 ? options->threads
                                              : processors > 0     ? (int)processors
                                                                   : 1);
        fine = make_pictures(&movie, path, threads, summary, error);
        mrn_threads_free(threads);
    }
    for (int i = 0; i < 2; i++) mrn_frame_free(&movie.near[i]);
    free(movie.times);
    summary->wall_seconds = mrn_wall_seconds() - start;
    return fine;
}
