// Small steps over the HDF5 library: named scalars, texts and byte arrays with a checksum, and what went wrong in
// words.
#ifndef MRN_IO_RUN_FILE_HDF5_H
#define MRN_IO_RUN_FILE_HDF5_H

#include "base/error.h"
#include "model/state.h"
#include <hdf5.h>

/// Stop HDF5 from printing its error stack in this thread: errors are reported through MrnError.
void mrn_hdf5_silence(void);
/// Fill `error` with "PATH: WHAT: innermost reason of HDF5". Returns false.
bool mrn_hdf5_fail(MrnError *error, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

hid_t mrn_hdf5_type(MrnFieldType type); ///< in memory and in the file; do not close
bool mrn_hdf5_attribute_text(hid_t object, const char *name, const char *text);
/// Text attribute of at most `size` - 1 bytes; false if it is absent, no text or longer.
bool mrn_hdf5_read_attribute_text(hid_t object, const char *name, char *text, size_t size);

/// A scalar data set, kept in the object header (which HDF5 checksums). Writing one that exists replaces its value.
bool mrn_hdf5_write_scalar(hid_t place, const char *name, hid_t type, const void *value, const char *unit,
                           const char *text);
bool mrn_hdf5_read_scalar(hid_t place, const char *name, hid_t type, void *value);

/// A text of any bytes but zero, or an array of bytes, with a checksum.
bool mrn_hdf5_write_text(hid_t place, const char *name, const char *text);
bool mrn_hdf5_write_bytes(hid_t place, const char *name, const void *data, size_t size);
/// Read one of both; allocated, with a zero byte behind the last. NULL if it is absent, damaged or larger than `limit`.
char *mrn_hdf5_read_text(hid_t place, const char *name, size_t limit);
char *mrn_hdf5_read_bytes(hid_t place, const char *name, size_t limit, size_t *size);

#endif
