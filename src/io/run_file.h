// An open run file, for parts of the library that need more of it than moraine/run.h gives.
#ifndef MRN_IO_RUN_FILE_H
#define MRN_IO_RUN_FILE_H

#include "io/run_file_layout.h"

/// Parameters and tables; valid until the next call that reads from the file.
const MrnRunLayout *mrn_run_file_layout(const MrnRunFile *file);
/// A frame, its contacts only if wanted: without them `contacts` is empty, and `contact_count` is what it would be.
bool mrn_run_file_frame_part(MrnRunFile *file, size_t index, bool contacts, MrnFrame *frame, MrnError *error);
/// What the newest checkpoint says beside the state; false if there is none.
bool mrn_run_file_last_checkpoint(MrnRunFile *file, MrnCheckpoint *checkpoint);
/// Fill `state` from the newest sound checkpoint of at most `step` steps; false if there is none, then `state` may have
/// changed.
bool mrn_run_file_state_at(MrnRunFile *file, int64_t step, MrnState *state);
/// The scene gives the model and settings that the run was made with.
bool mrn_run_fits_scene(const char *path, const MrnRunParameters *parameters, const MrnScene *scene, MrnError *error);

#endif
