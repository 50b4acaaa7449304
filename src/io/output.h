// A file that is written under a temporary name and takes its own name when it is complete.
//
// What always holds: under its own name there is the old file or the whole new one, never a part.
#ifndef MRN_IO_OUTPUT_H
#define MRN_IO_OUTPUT_H

#include "base/decimal.h"
#include <moraine/error.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef struct MrnOutput {
    char *path, *temporary; ///< temporary is NULL where `path` is no regular file (a pipe, a device)
    int descriptor;
    int failure; ///< errno of the first write that failed, or 0
    char *buffer;
    size_t used;
    uint64_t written; ///< bytes, with those still in the buffer
} MrnOutput;

/// Start the file. Only one of close and discard may follow.
bool mrn_output_open(MrnOutput *output, const char *path, MrnError *error);
/// Failures of writing are kept until mrn_output_close.
void mrn_output_write(MrnOutput *output, const void *data, size_t size);
/// Large parts one after the other, without copying them.
void mrn_output_write_parts(MrnOutput *output, const struct iovec *parts, size_t count);
void mrn_output_text(MrnOutput *output, const char *text);
void mrn_output_format(MrnOutput *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Room for `size` bytes (at most MRN_OUTPUT_ROOM) in the buffer; give back how far it was used.
enum { MRN_OUTPUT_ROOM = 65536 };
char *mrn_output_room(MrnOutput *output, size_t size);
void mrn_output_used(MrnOutput *output, const char *end);
/// Complete the file and give it its name; false, with nothing left behind, if something could not be written.
bool mrn_output_close(MrnOutput *output, MrnError *error);
void mrn_output_discard(MrnOutput *output);

/// Make a folder and those above it; fine if it is there.
bool mrn_folder_make(const char *path, MrnError *error);
/// "FOLDER/NAME"; free() it.
char *mrn_path_join(const char *folder, const char *name);

#endif
