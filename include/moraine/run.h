// Runs: a scene becomes a run file (HDF5) that can be looked at, resumed and checked.
#ifndef MORAINE_RUN_H
#define MORAINE_RUN_H

#include <moraine/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Told now and then how far a run is. Return false to stop cleanly (a checkpoint is written).
typedef bool MrnProgress(void *context, const MrnStepInfo *info, double end_time, double wall_seconds);

typedef struct MrnRunOptions {
    const char *output;    ///< run file to write, or NULL: keep nothing
    double until;          ///< s; end at this time instead of the scene's duration; < 0: the scene's (default)
    int threads;           ///< of a resumed run; 0: as many as before (default); results do not depend on it
    int64_t dump_step;     ///< write the one-step problem of this step as an FCLIB file; 0: none (default)
    MrnProgress *progress; ///< or NULL
    void *progress_context;
} MrnRunOptions;

MrnRunOptions mrn_run_defaults(void);

typedef struct MrnRunSummary {
    int64_t steps; ///< steps since time 0, also those before a resume
    int64_t bodies;
    double contacts_mean;
    int64_t contacts_max;
    double sweeps_mean;
    double residual_max;
    double scaled_residual_max;      ///< the tolerance is about this one
    double penetration_max;          ///< m
    double energy_start, energy_end; ///< J, kinetic + potential
    double
        energy_gained; ///< J, created by collisions of laws whose normal and tangential restitutions differ; 0 is sound
    double time;       ///< s simulated
    double wall_seconds; ///< of this call
    double cpu_seconds;  ///< processor time of this call, all threads
    double seconds_detect, seconds_assemble, seconds_solve;
    int64_t unsolved_steps;       ///< steps that did not reach the tolerance
    MrnCollisionCount collisions; ///< of the event-driven stepper; 0 elsewhere
    int64_t dumped_step; ///< step whose problem was written in this call: the one asked for, or the first unsolved one;
                         ///< 0: none
    char dumped[512];    ///< that file
    uint64_t state_hash;
    bool stopped; ///< the progress callback asked to stop
} MrnRunSummary;

bool mrn_run(MrnScene *scene, const MrnRunOptions *options, MrnRunSummary *summary, MrnError *error);
/// Go on from the last checkpoint of a run file.
bool mrn_resume(const char *path, const MrnRunOptions *options, MrnRunSummary *summary, MrnError *error);

/// Reading a run file: one frame at a time.
typedef struct MrnRunFile MrnRunFile;
MrnRunFile *mrn_run_file_open(const char *path, MrnError *error);
void mrn_run_file_close(MrnRunFile *file);
MrnScene *mrn_run_file_scene(MrnRunFile *file,
                             MrnError *error); ///< parsed again from what the file holds; caller frees
size_t mrn_run_file_frame_count(const MrnRunFile *file);
size_t mrn_run_file_step_count(const MrnRunFile *file);
size_t mrn_run_file_checkpoint_count(const MrnRunFile *file);
bool mrn_run_file_steps(MrnRunFile *file, size_t first, size_t count, MrnStepInfo *out, MrnError *error);
/// Times of frames, s, without reading the frames.
bool mrn_run_file_times(MrnRunFile *file, size_t first, size_t count, double *out, MrnError *error);
double mrn_run_file_end_time(const MrnRunFile *file); ///< s, at which the run ends or should have ended
/// See what was committed since the file was opened: counts grow, or shrink when the run was resumed.
bool mrn_run_file_refresh(MrnRunFile *file, MrnError *error);
bool mrn_run_file_being_written(const MrnRunFile *file); ///< a process has it open for writing

typedef struct MrnFrame {
    double time;
    int64_t step;
    size_t body_count;
    double *position; ///< dimension per body
    double *rotation; ///< 1 or 4 per body
    double *velocity; ///< dimension per body
    double *spin;     ///< 1 or 3 per body
    uint8_t *active;  ///< 1 per body
    size_t contact_count;
    MrnContactView *contacts;
} MrnFrame;
bool mrn_run_file_frame(MrnRunFile *file, size_t index, MrnFrame *frame,
                        MrnError *error); ///< allocates; free with mrn_frame_free
void mrn_frame_free(MrnFrame *frame);
/// Give a frame exactly `bodies` bodies, those of a model that was read earlier or later than the frame while the run
/// was being written: bodies born since are left out with their contacts, those that are not there are inactive.
void mrn_frame_fit(MrnFrame *frame, size_t bodies, int dimension);
/// A frame with the bodies of this model, whatever the run has by now.
bool mrn_run_file_frame_for(MrnRunFile *file, const MrnModel *model, size_t index, MrnFrame *frame, MrnError *error);

#ifdef __cplusplus
}
#endif
#endif
