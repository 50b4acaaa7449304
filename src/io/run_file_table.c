// Tables of a run file. See run_file_table.h.
#include "io/run_file_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_CHUNK ((size_t)256 << 20) ///< bytes

static size_t bytes_of_row(const MrnTableColumn *column) {
    size_t bytes = mrn_field_size(column->type);
    for (int i = 0; i < column->rank; i++) bytes *= column->size[i];
    return bytes;
}

/// The chunk of a column that was read last.
typedef struct KeptChunk {
    unsigned char *rows;
    uint64_t number; ///< chunk + 1; 0: none
} KeptChunk;

struct MrnTableReader {
    MrnUnpacker unpacker;
    KeptChunk *kept; ///< per column
};

static void prepare(MrnTable *table, const char *name, const MrnTableColumn *columns, size_t count) {
    *table = (MrnTable){.name = name, .column_count = count};
    table->columns = mrn_alloc(count, sizeof *table->columns);
    memcpy(table->columns, columns, count * sizeof *columns);
    table->sets = mrn_alloc(count, sizeof *table->sets);
    table->row_bytes = mrn_alloc(count, sizeof *table->row_bytes);
    table->buffer = mrn_alloc_zero(count, sizeof *table->buffer);
    table->chunk_rows = mrn_alloc_zero(count, sizeof *table->chunk_rows);
    table->reader = mrn_alloc_zero(1, sizeof *table->reader);
    table->reader->kept = mrn_alloc_zero(count, sizeof *table->reader->kept);
    for (size_t i = 0; i < count; i++) {
        table->sets[i] = H5I_INVALID_HID;
        table->row_bytes[i] = bytes_of_row(&columns[i]);
    }
}

static void forget_chunks(const MrnTable *table) {
    for (size_t i = 0; table->reader && i < table->column_count; i++) {
        free(table->reader->kept[i].rows);
        table->reader->kept[i] = (KeptChunk){0};
    }
}

void mrn_table_close(MrnTable *table) {
    forget_chunks(table);
    if (table->reader) {
        mrn_unpacker_free(&table->reader->unpacker);
        free(table->reader->kept);
        free(table->reader);
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->sets[i] >= 0) H5Dclose(table->sets[i]);
        free(table->buffer[i]);
    }
    free(table->columns);
    free(table->sets);
    free(table->row_bytes);
    free(table->buffer);
    free(table->chunk_rows);
    mrn_packer_free(&table->packer);
    *table = (MrnTable){0};
}

/// Chunk sizes: whole rows while they fit, else pieces of one row.
static void choose_chunk(const MrnTableColumn *column, size_t row_bytes, size_t chunk_bytes, hsize_t chunk[3]) {
    const size_t largest = LARGEST_CHUNK;
    chunk[0] = row_bytes && row_bytes < chunk_bytes ? chunk_bytes / row_bytes : 1;
    for (int i = 0; i < column->rank; i++) chunk[1 + i] = column->size[i] ? column->size[i] : 1;
    if (column->rank && row_bytes > largest) {
        size_t entry = row_bytes / column->size[0];
        chunk[1] = largest / entry ? largest / entry : 1;
    }
}

/// Access that caches about one row of chunks and no more: there are many data sets.
static hid_t access_list(const MrnTableColumn *column, const hsize_t chunk[3]) {
    size_t bytes = mrn_field_size(column->type) * (size_t)chunk[0];
    for (int i = 0; i < column->rank; i++) bytes *= (size_t)chunk[1 + i];
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 61, 2 * bytes, 1.0);
    return access;
}

/// Rows of a chunk as the file has it, if chunks are made as mrn_pack makes them; else 0.
static uint64_t rows_per_chunk(const MrnTable *table, size_t index) {
    const MrnTableColumn *column = &table->columns[index];
    hid_t creation = table->sets[index] >= 0 ? H5Dget_create_plist(table->sets[index]) : H5I_INVALID_HID;
    if (creation < 0) return 0;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    unsigned flags, configuration;
    size_t values = 0;
    bool fine = table->row_bytes[index] > 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
                H5Pget_chunk(creation, H5S_MAX_RANK, chunk) == 1 + column->rank && H5Pget_nfilters(creation) == 2 &&
                H5Pget_filter2(creation, 0, &flags, &values, NULL, 0, NULL, &configuration) == H5Z_FILTER_SHUFFLE;
    values = 0;
    fine = fine && H5Pget_filter2(creation, 1, &flags, &values, NULL, 0, NULL, &configuration) == H5Z_FILTER_DEFLATE;
    for (int d = 0; fine && d < column->rank; d++) fine = chunk[1 + d] == column->size[d];
    H5Pclose(creation);
    return fine ? chunk[0] : 0;
}

/// A new data set of so many rows, all of them `missing`.
static bool create_column(MrnTable *table, size_t index, hid_t group, uint64_t rows, size_t chunk_bytes,
                          bool may_widen) {
    const MrnTableColumn *column = &table->columns[index];
    hsize_t size[3] = {rows}, most[3] = {H5S_UNLIMITED}, chunk[3];
    for (int d = 0; d < column->rank; d++) {
        size[1 + d] = column->size[d];
        most[1 + d] = column->size[d] ? column->size[d] : 1; // a chunk may not be larger than the data set can become
        if (d == 0 && may_widen) most[1 + d] = H5S_UNLIMITED;
    }
    choose_chunk(column, table->row_bytes[index], chunk_bytes, chunk);
    hid_t space = H5Screate_simple(1 + column->rank, size, most), creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t access = access_list(column, chunk);
    H5Pset_chunk(creation, 1 + column->rank, chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 1); // whose stream carries a checksum
    if (column->newer) H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &column->missing);
    table->sets[index] =
        H5Dcreate2(group, column->name, mrn_hdf5_type(column->type), space, H5P_DEFAULT, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    table->chunk_rows[index] = rows_per_chunk(table, index);
    return table->sets[index] >= 0 && mrn_hdf5_attribute_text(table->sets[index], "unit", column->unit) &&
           mrn_hdf5_attribute_text(table->sets[index], "text", column->text);
}

bool mrn_table_create(MrnTable *table, hid_t file, const char *name, const MrnTableColumn *columns, size_t count,
                      size_t chunk_bytes, bool may_widen) {
    prepare(table, name, columns, count);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) fine = create_column(table, i, group, 0, chunk_bytes, may_widen);
    H5Gclose(group);
    return fine;
}

static bool check_column(const MrnTable *table, size_t index, const char *path, uint64_t *rows, MrnError *error) {
    const MrnTableColumn *column = &table->columns[index];
    hid_t type = H5Dget_type(table->sets[index]), space = H5Dget_space(table->sets[index]);
    hsize_t size[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_ndims(space);
    bool fine = H5Tequal(type, mrn_hdf5_type(column->type)) > 0;
    if (!fine)
        mrn_fail(error, MRN_ERROR_FILE, "%s: /%s/%s has the wrong type", path, table->name, column->name);
    else {
        fine = rank == 1 + column->rank && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
        for (int d = 0; fine && d < column->rank; d++) fine = size[1 + d] == column->size[d];
        if (!fine) mrn_fail(error, MRN_ERROR_FILE, "%s: /%s/%s has the wrong shape", path, table->name, column->name);
    }
    H5Sclose(space);
    H5Tclose(type);
    if (!fine) return false;
    if (index == 0) *rows = size[0];
    if (size[0] != *rows)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: /%s/%s has %llu rows, /%s/%s has %llu", path, table->name,
                        column->name, (unsigned long long)size[0], table->name, table->columns[0].name,
                        (unsigned long long)*rows);
    return true;
}

bool mrn_table_open(MrnTable *table, hid_t file, const char *path, const char *name, const MrnTableColumn *columns,
                    size_t count, size_t chunk_bytes, MrnError *error) {
    prepare(table, name, columns, count);
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no group /%s", path, name);
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0) return mrn_hdf5_fail(error, path, "damaged run file: cannot open /%s", name);
    unsigned intent = 0;
    bool fine = true, writable = H5Fget_intent(file, &intent) >= 0 && (intent & H5F_ACC_RDWR);
    for (size_t i = 0; i < count && fine; i++) {
        if (H5Lexists(group, columns[i].name, H5P_DEFAULT) <= 0) {
            if (columns[i].newer) {
                if (writable && !create_column(table, i, group, table->rows, chunk_bytes, false))
                    fine = mrn_hdf5_fail(error, path, "cannot add /%s/%s", name, columns[i].name);
                continue;
            }
            fine = mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no data set /%s/%s", path, name,
                            columns[i].name);
            break;
        }
        hsize_t chunk[3];
        choose_chunk(&columns[i], table->row_bytes[i], chunk_bytes, chunk);
        hid_t access = access_list(&columns[i], chunk);
        table->sets[i] = H5Dopen2(group, columns[i].name, access);
        H5Pclose(access);
        if (table->sets[i] < 0)
            fine = mrn_hdf5_fail(error, path, "damaged run file: cannot open /%s/%s", name, columns[i].name);
        else
            fine = check_column(table, i, path, &table->rows, error);
        table->chunk_rows[i] = rows_per_chunk(table, i);
    }
    H5Gclose(group);
    return fine;
}

void mrn_table_add(MrnTable *table, size_t count) {
    size_t wanted = table->pending + count;
    if (wanted > table->capacity) {
        size_t grown = table->capacity + table->capacity / 2 + 16;
        if (grown < wanted) grown = wanted;
        for (size_t i = 0; i < table->column_count; i++)
            table->buffer[i] = mrn_realloc(table->buffer[i], grown, table->row_bytes[i] ? table->row_bytes[i] : 1);
        table->capacity = grown;
    }
    table->pending = wanted;
}

size_t mrn_table_pending_bytes(const MrnTable *table) {
    size_t bytes = 0;
    for (size_t i = 0; i < table->column_count; i++) bytes += table->pending * table->row_bytes[i];
    return bytes;
}

static hid_t select_rows(const MrnTable *table, size_t index, uint64_t first, uint64_t count, hid_t *memory) {
    const MrnTableColumn *column = &table->columns[index];
    hsize_t start[3] = {first}, size[3] = {count, column->size[0], column->size[1]};
    hid_t space = H5Dget_space(table->sets[index]);
    *memory = H5Screate_simple(1 + column->rank, size, NULL);
    if (space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0) {
        H5Sclose(space);
        space = H5I_INVALID_HID;
    }
    return space;
}

static bool resize(MrnTable *table, size_t index, uint64_t rows) {
    const MrnTableColumn *column = &table->columns[index];
    hsize_t size[3] = {rows, column->size[0], column->size[1]};
    return H5Dset_extent(table->sets[index], size) >= 0;
}

/// Pending rows [from, to), counted as rows of the table, by way of HDF5's filters.
static bool write_slowly(MrnTable *table, size_t index, uint64_t from, uint64_t to) {
    if (from >= to) return true;
    hid_t memory, space = select_rows(table, index, from, to - from, &memory);
    bool fine = space >= 0 && memory >= 0 &&
                H5Dwrite(table->sets[index], mrn_hdf5_type(table->columns[index].type), memory, space, H5P_DEFAULT,
                         table->buffer[index] + (from - table->rows) * table->row_bytes[index]) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return fine;
}

static bool write_chunk(MrnTable *table, size_t index, uint64_t from) {
    size_t item = mrn_field_size(table->columns[index].type), row = table->row_bytes[index];
    hsize_t offset[3] = {from};
    size_t length = mrn_pack(&table->packer, table->buffer[index] + (from - table->rows) * row,
                             table->chunk_rows[index] * (row / item), item);
    return length && H5Dwrite_chunk(table->sets[index], H5P_DEFAULT, 0, offset, length, table->packer.packed) >= 0;
}

bool mrn_table_write(MrnTable *table) {
    if (!table->pending) return true;
    forget_chunks(table);
    uint64_t begin = table->rows, end = table->rows + table->pending;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!resize(table, i, end)) return false;
        if (!table->row_bytes[i]) continue;
        // Whole chunks are packed here; what is left at both ends shares its chunk with other rows.
        uint64_t chunk = table->chunk_rows[i], first = end, last = end;
        if (chunk) {
            first = (begin + chunk - 1) / chunk * chunk;
            last = end / chunk * chunk;
            if (first >= last) first = last = end;
        }
        if (!write_slowly(table, i, begin, first)) return false;
        for (uint64_t row = first; row < last; row += chunk)
            if (!write_chunk(table, i, row)) return false;
        if (!write_slowly(table, i, last, end)) return false;
    }
    table->rows = end;
    table->pending = 0;
    return true;
}

bool mrn_table_widen(MrnTable *table, size_t size) {
    assert(!table->pending);
    forget_chunks(table);
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].rank == 0) continue;
        table->columns[i].size[0] = size;
        if (!resize(table, i, table->rows)) return false;
        table->row_bytes[i] = bytes_of_row(&table->columns[i]);
        table->chunk_rows[i] = rows_per_chunk(table, i);
    }
    table->capacity = 0; // rows in memory have another length now
    return true;
}

bool mrn_table_truncate(MrnTable *table, uint64_t rows) {
    table->pending = 0;
    if (rows >= table->rows) return rows == table->rows;
    forget_chunks(table);
    for (size_t i = 0; i < table->column_count; i++)
        if (!resize(table, i, rows)) return false;
    table->rows = rows;
    return true;
}

static void fill_missing(const MrnTableColumn *column, size_t count, void *out) {
    for (size_t i = 0; i < count; i++) switch (column->type) {
        case MRN_FIELD_DOUBLE: ((double *)out)[i] = column->missing; break;
        case MRN_FIELD_INT64: ((int64_t *)out)[i] = (int64_t)column->missing; break;
        case MRN_FIELD_INT32: ((int32_t *)out)[i] = (int32_t)column->missing; break;
        case MRN_FIELD_UINT64: ((uint64_t *)out)[i] = (uint64_t)column->missing; break;
        case MRN_FIELD_UINT8: ((uint8_t *)out)[i] = (uint8_t)column->missing; break;
        }
}

/// Rows by way of HDF5's filters.
static bool read_slowly(const MrnTable *table, size_t column, uint64_t first, uint64_t count, void *out) {
    hid_t memory, space = select_rows(table, column, first, count, &memory);
    bool fine =
        space >= 0 && memory >= 0 &&
        H5Dread(table->sets[column], mrn_hdf5_type(table->columns[column].type), memory, space, H5P_DEFAULT, out) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return fine;
}

typedef enum Found { NOTHING, DAMAGED, CHUNK } Found;

/// One chunk, unpacked here: of a file that is being written it may be half of an old and half of a new one, and HDF5
/// believes that a chunk which it has inflated is as long as it should be.
static Found read_chunk(const MrnTable *table, size_t column, uint64_t number, unsigned char *rows) {
    hsize_t offset[3] = {number * table->chunk_rows[column]}, size = 0;
    unsigned mask = 0;
    uint32_t read_mask = 0;
    haddr_t address = HADDR_UNDEF;
    MrnUnpacker *unpacker = &table->reader->unpacker;
    size_t bytes = table->chunk_rows[column] * table->row_bytes[column],
           item = mrn_field_size(table->columns[column].type);
    if (H5Dget_chunk_info_by_coord(table->sets[column], offset, &mask, &address, &size) < 0) return DAMAGED;
    if (address == HADDR_UNDEF) return NOTHING;
    if (!size || size > mrn_packed_most(bytes)) return DAMAGED;
    mrn_unpacker_room(unpacker, (size_t)size);
    if (H5Dread_chunk(table->sets[column], H5P_DEFAULT, offset, &read_mask, unpacker->packed) < 0) return DAMAGED;
    return mrn_unpack(unpacker, (size_t)size, read_mask, rows, bytes / item, item) ? CHUNK : DAMAGED;
}

/// The rows of one chunk, from the one that is kept if it is that.
static bool read_in_chunk(const MrnTable *table, size_t column, uint64_t number, uint64_t first, uint64_t count,
                          unsigned char *out) {
    size_t row = table->row_bytes[column], chunk = table->chunk_rows[column];
    KeptChunk *kept = &table->reader->kept[column];
    Found found = CHUNK;
    if (kept->number != number + 1) {
        bool whole = count == chunk;
        if (!whole && !kept->rows) kept->rows = mrn_alloc(chunk, row);
        if (!whole) kept->number = 0;
        found = read_chunk(table, column, number, whole ? out : kept->rows);
        if (found == NOTHING) return read_slowly(table, column, first, count, out); // values that nobody wrote
        if (found == DAMAGED) return false;
        if (whole) return true;
        kept->number = number + 1;
    }
    memcpy(out, kept->rows + (first - number * chunk) * row, count * row);
    return true;
}

bool mrn_table_read(const MrnTable *table, size_t column, uint64_t first, uint64_t count, void *out) {
    if (first > table->rows || count > table->rows - first) return false;
    if (!count || !table->row_bytes[column]) return true;
    if (table->sets[column] < 0) {
        fill_missing(&table->columns[column],
                     count * (table->row_bytes[column] / mrn_field_size(table->columns[column].type)), out);
        return true;
    }
    uint64_t chunk = table->chunk_rows[column], end = first + count;
    // A damaged file may promise chunks of any size: those are left to HDF5, which reads what is there.
    if (!chunk || chunk > LARGEST_CHUNK / table->row_bytes[column])
        return read_slowly(table, column, first, count, out);
    unsigned char *at = out;
    for (uint64_t row = first; row < end;) {
        uint64_t number = row / chunk, last = (number + 1) * chunk < end ? (number + 1) * chunk : end;
        if (!read_in_chunk(table, column, number, row, last - row, at)) return false;
        at += (last - row) * table->row_bytes[column];
        row = last;
    }
    return true;
}
