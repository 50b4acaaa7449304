// Small steps over the HDF5 library. See run_file_hdf5.h.
#include "io/run_file_hdf5.h"

#include "base/hash.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKSUM_SEED 0x74657874u
#define CHECKSUM_NAME "checksum"

void mrn_hdf5_silence(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static herr_t note_reason(unsigned depth, const H5E_error2_t *entry, void *context) {
    (void)depth;
    snprintf(context, 160, "%s", entry->desc ? entry->desc : "");
    return 0;
}

bool mrn_hdf5_fail(MrnError *error, const char *path, const char *format, ...) {
    // The walk goes from the call we made inwards, so the last one noted is where it began.
    char reason[160] = "", what[400];
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note_reason, reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (reason[0]) return mrn_fail(error, MRN_ERROR_FILE, "%s: %s: %s", path, what, reason);
    return mrn_fail(error, MRN_ERROR_FILE, "%s: %s", path, what);
}

hid_t mrn_hdf5_type(MrnFieldType type) {
    switch (type) {
    case MRN_FIELD_DOUBLE: return H5T_NATIVE_DOUBLE;
    case MRN_FIELD_INT64: return H5T_NATIVE_INT64;
    case MRN_FIELD_INT32: return H5T_NATIVE_INT32;
    case MRN_FIELD_UINT64: return H5T_NATIVE_UINT64;
    case MRN_FIELD_UINT8: return H5T_NATIVE_UINT8;
    }
    return H5I_INVALID_HID;
}

static hid_t text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool write_attribute(hid_t object, const char *name, hid_t type, const void *value) {
    bool there = H5Aexists(object, name) > 0;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        there ? H5Aopen(object, name, H5P_DEFAULT) : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return fine;
}

bool mrn_hdf5_attribute_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(strlen(text));
    bool fine = write_attribute(object, name, type, text[0] ? text : "\0");
    H5Tclose(type);
    return fine;
}

bool mrn_hdf5_read_attribute_text(hid_t object, const char *name, char *text, size_t size) {
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    size_t length = H5Tget_size(type);
    bool fine = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && length < size &&
                H5Sget_simple_extent_npoints(space) == 1;
    if (fine) {
        memset(text, 0, size);
        fine = H5Aread(attribute, type, text) >= 0;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return fine;
}

bool mrn_hdf5_write_scalar(hid_t place, const char *name, hid_t type, const void *value, const char *unit,
                           const char *text) {
    hid_t data = H5I_INVALID_HID;
    if (H5Lexists(place, name, H5P_DEFAULT) > 0) {
        data = H5Dopen2(place, name, H5P_DEFAULT);
    } else {
        hid_t space = H5Screate(H5S_SCALAR), creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_layout(creation, H5D_COMPACT);
        data = H5Dcreate2(place, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        H5Pclose(creation);
        H5Sclose(space);
        if (data >= 0 && unit) mrn_hdf5_attribute_text(data, "unit", unit);
        if (data >= 0 && text) mrn_hdf5_attribute_text(data, "text", text);
    }
    if (data < 0) return false;
    bool fine = H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    return H5Dclose(data) >= 0 && fine;
}

bool mrn_hdf5_read_scalar(hid_t place, const char *name, hid_t type, void *value) {
    if (H5Lexists(place, name, H5P_DEFAULT) <= 0) return false;
    hid_t data = H5Dopen2(place, name, H5P_DEFAULT);
    if (data < 0) return false;
    hid_t stored = H5Dget_type(data), space = H5Dget_space(data);
    bool fine = H5Tget_class(stored) == H5Tget_class(type) && H5Sget_simple_extent_npoints(space) == 1 &&
                H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(data);
    return fine;
}

static bool write_checked(hid_t place, const char *name, hid_t type, hid_t space, const void *data, size_t size) {
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0) return false;
    uint64_t checksum = mrn_hash_bytes(CHECKSUM_SEED, data, size);
    bool fine = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 &&
                write_attribute(set, CHECKSUM_NAME, H5T_NATIVE_UINT64, &checksum);
    return H5Dclose(set) >= 0 && fine;
}

bool mrn_hdf5_write_text(hid_t place, const char *name, const char *text) {
    size_t length = strlen(text);
    hid_t type = text_type(length), space = H5Screate(H5S_SCALAR);
    bool fine = write_checked(place, name, type, space, length ? text : "\0", length ? length : 1);
    H5Sclose(space);
    H5Tclose(type);
    return fine;
}

bool mrn_hdf5_write_bytes(hid_t place, const char *name, const void *data, size_t size) {
    hsize_t length = size;
    hid_t space = H5Screate_simple(1, &length, NULL);
    bool fine = write_checked(place, name, H5T_NATIVE_UINT8, space, size ? data : "", size);
    H5Sclose(space);
    return fine;
}

static char *read_checked(hid_t place, const char *name, size_t limit, bool text, size_t *size) {
    if (H5Lexists(place, name, H5P_DEFAULT) <= 0) return NULL;
    hid_t set = H5Dopen2(place, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    uint64_t checksum = 0;
    hid_t attribute = H5Aexists(set, CHECKSUM_NAME) > 0 ? H5Aopen(set, CHECKSUM_NAME, H5P_DEFAULT) : H5I_INVALID_HID;
    hssize_t points = H5Sget_simple_extent_npoints(space);
    bool fine = attribute >= 0 && points >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, &checksum) >= 0;
    if (text)
        fine = fine && points == 1 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    else
        fine = fine && H5Tequal(type, H5T_NATIVE_UINT8) > 0;
    size_t bytes = fine ? (text ? H5Tget_size(type) : (size_t)points) : 0;
    char *data = NULL;
    if (fine && bytes <= limit) {
        data = mrn_alloc(bytes + 1, 1);
        data[bytes] = 0;
        if ((bytes && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) ||
            mrn_hash_bytes(CHECKSUM_SEED, data, bytes) != checksum) {
            free(data);
            data = NULL;
        }
    }
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    *size = bytes;
    return data;
}

char *mrn_hdf5_read_text(hid_t place, const char *name, size_t limit) {
    size_t size;
    return read_checked(place, name, limit, true, &size);
}

char *mrn_hdf5_read_bytes(hid_t place, const char *name, size_t limit, size_t *size) {
    return read_checked(place, name, limit, false, size);
}
