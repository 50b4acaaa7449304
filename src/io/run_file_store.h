// The store under a run file: an HDF5 file driver whose file changes only in whole commits.
//
// HDF5 updates its metadata in place, so a process that dies while it writes leaves a file that no longer opens. The
// store keeps what is committed as it is until the next commit is complete on disk:
//   - bytes past the committed end are written at once: nothing committed refers to them;
//   - bytes before it are kept in memory, page by page, until the commit;
//   - a commit appends the changed pages as a journal behind the new end, with a checksum in its last bytes, then
//   copies them to
//     their places, then cuts the journal off.
// A process killed before the journal is complete leaves the previous commit, one killed later leaves the new one:
// whoever opens the file next finds the complete journal at its end and looks through it. HDF5 tools ignore what lies
// behind the end.
//
// A counter in the user block (the 512 bytes before the HDF5 data) is odd while pages are copied, so a reader of a file
// that is being written knows whether what it read belongs to one commit. A lock on the file keeps a second writer out.
#ifndef MRN_IO_RUN_FILE_STORE_H
#define MRN_IO_RUN_FILE_STORE_H

#include "base/error.h"
#include <hdf5.h>
#include <stdint.h>

typedef struct MrnStore MrnStore;

#define MRN_STORE_USER_BLOCK 512 ///< bytes before the HDF5 data

typedef enum MrnStoreMode {
    MRN_STORE_READ,  ///< look at a file, also one that is being written
    MRN_STORE_WRITE, ///< go on with an existing file; finishes an interrupted commit
    MRN_STORE_CREATE ///< a new file, or an existing one emptied
} MrnStoreMode;

/// Open a regular file and, for writing, lock it. `shown` is the name in messages. NULL with a message.
MrnStore *mrn_store_open(const char *path, const char *shown, MrnStoreMode mode, MrnError *error);
/// Close. What was not committed is dropped. Close the HDF5 file first.
void mrn_store_close(MrnStore *store);
/// The HDF5 file in the store; strong close degree. Negative on failure (no error is filled).
hid_t mrn_store_hdf5(MrnStore *store);

/// Make everything written since the last commit part of the file. Flushes HDF5 first.
bool mrn_store_commit(MrnStore *store, hid_t file, MrnError *error);
/// Give up what is not committed; call before closing the HDF5 file. The last commit stays.
void mrn_store_abandon(MrnStore *store);
/// True while another program (h5py, h5dump) has the file open under the lock that HDF5 takes: a commit now could
/// disturb it.
bool mrn_store_has_foreign_reader(MrnStore *store);
/// True if another process has committed since this one opened the file for reading.
bool mrn_store_changed(const MrnStore *store);
/// True while another process, or another open file of this one, has the file open for writing.
bool mrn_store_has_writer(const MrnStore *store);
/// Rename the file while it is open. True if it worked; otherwise errno says why.
bool mrn_store_rename(MrnStore *store, const char *path);

const char *mrn_store_path(const MrnStore *store);
uint64_t mrn_store_file_size(const MrnStore *store); ///< bytes on disk when it was opened or last committed
/// errno of the first failed read or write, 0 if there is none. HDF5 calls succeed in spite of a failed write: ask
/// here.
int mrn_store_failure(const MrnStore *store);

#endif
