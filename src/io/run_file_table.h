// A table of a run file: a group with one data set per column, all with the same number of rows, that grows at the end.
//
// Rows are collected in memory and written in blocks, since one HDF5 call costs more than a short step.
#ifndef MRN_IO_RUN_FILE_TABLE_H
#define MRN_IO_RUN_FILE_TABLE_H

#include "io/run_file_hdf5.h"
#include "io/run_file_pack.h"

/// One column: what a row holds there.
typedef struct MrnTableColumn {
    const char *name;
    MrnFieldType type;
    int rank; ///< 0: a number; 1: size[0] numbers; 2: size[0] x size[1] numbers
    size_t size[2];
    const char *unit; ///< "1" for pure numbers
    const char *text; ///< one line
    bool newer;       ///< files of before this column can be read: every number in it is `missing`
    double missing;
} MrnTableColumn;

typedef struct MrnTable {
    const char *name; ///< of the group
    size_t column_count;
    MrnTableColumn *columns;
    hid_t *sets;            ///< invalid for a column that a file opened for reading does not have
    size_t *row_bytes;      ///< per column
    uint64_t rows;          ///< in the file
    size_t pending;         ///< rows in memory, behind those
    size_t capacity;        ///< rows there is memory for
    unsigned char **buffer; ///< pending rows, per column
    uint64_t *chunk_rows;   ///< per column; 0 if its chunks are not whole rows, shuffled and deflated
    MrnPacker packer;
    struct MrnTableReader *reader; ///< what reading keeps: the last chunk of each column
} MrnTable;

/// Make the group and empty data sets. `chunk_bytes` is what a chunk should hold about, in every column; at least one
/// row. Where it may widen, mrn_table_widen can change the first size of a row.
bool mrn_table_create(MrnTable *table, hid_t file, const char *name, const MrnTableColumn *columns, size_t count,
                      size_t chunk_bytes, bool may_widen);
/// Open for reading or writing; checks that every column is there with its type and sizes, but for newer ones, which a
/// file opened for writing then gets.
bool mrn_table_open(MrnTable *table, hid_t file, const char *path, const char *name, const MrnTableColumn *columns,
                    size_t count, size_t chunk_bytes, MrnError *error);
void mrn_table_close(MrnTable *table);

/// Room for `count` more pending rows; fill them through mrn_table_cell.
void mrn_table_add(MrnTable *table, size_t count);
static inline void *mrn_table_cell(MrnTable *table, size_t column, size_t pending_row) {
    return table->buffer[column] + pending_row * table->row_bytes[column];
}
size_t mrn_table_pending_bytes(const MrnTable *table);
bool mrn_table_write(MrnTable *table); ///< the pending rows to the file
/// Give every column of rank > 0 another size[0]; numbers that no row had are zero. No rows may be pending.
bool mrn_table_widen(MrnTable *table, size_t size);
bool mrn_table_truncate(MrnTable *table, uint64_t rows); ///< keep the first `rows` rows
bool mrn_table_read(const MrnTable *table, size_t column, uint64_t first, uint64_t count, void *out);

#endif
