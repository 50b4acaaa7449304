// Writing a run file while the run goes on.
#ifndef MRN_IO_RUN_FILE_WRITE_H
#define MRN_IO_RUN_FILE_WRITE_H

#include "io/run_file_layout.h"

typedef struct MrnRunWriter MrnRunWriter;

/// Start a run file under a temporary name. A run file that is there already stays until mrn_run_writer_publish;
/// anything else is refused.
MrnRunWriter *mrn_run_writer_create(const char *path, const MrnScene *scene, const MrnRunParameters *parameters,
                                    MrnError *error);
/// Open a run file to go on with it.
MrnRunWriter *mrn_run_writer_open(const char *path, MrnError *error);
/// Close; what was not committed is dropped.
void mrn_run_writer_close(MrnRunWriter *writer);

MrnRunLayout *mrn_run_writer_layout(MrnRunWriter *writer);
/// Drop the rows behind a checkpoint; the model is that of the checkpoint.
bool mrn_run_writer_truncate(MrnRunWriter *writer, const MrnCheckpoint *checkpoint, const MrnModel *model,
                             MrnError *error);
/// Rows of the table so far, with those still in memory.
int64_t mrn_run_writer_frame_rows(const MrnRunWriter *writer);
int64_t mrn_run_writer_contact_rows(const MrnRunWriter *writer);
int64_t mrn_run_writer_step_rows(const MrnRunWriter *writer);

void mrn_run_writer_step(MrnRunWriter *writer, const MrnStepInfo *info);
/// Events of the last step, if there were any: bodies that broke and their pieces.
void mrn_run_writer_life(MrnRunWriter *writer, const MrnWorld *world);
void mrn_run_writer_frame(MrnRunWriter *writer, MrnWorld *world);
/// What should happen now: hand rows in memory to HDF5, and commit when `now` (wall seconds) says so. Cheap when
/// nothing is due.
bool mrn_run_writer_work(MrnRunWriter *writer, double now, MrnError *error);
/// Give the file its name, replacing the run file that was there; once is enough. Call after the first checkpoint.
bool mrn_run_writer_publish(MrnRunWriter *writer, MrnError *error);
/// Write a checkpoint and commit everything.
bool mrn_run_writer_checkpoint(MrnRunWriter *writer, const MrnState *state, MrnCheckpoint *checkpoint, MrnError *error);

#endif
