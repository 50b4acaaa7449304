// Wind and current from CF netCDF files (Climate and Forecast conventions 1.10: coordinates, time units and calendars,
// packed data, missing values).
#ifndef MRN_IO_NETCDF_H
#define MRN_IO_NETCDF_H

#include "model/environment.h"
#include <moraine/error.h>

/// What is wanted of a file.
typedef struct MrnGridRequest {
    const char *name;           ///< of the file, for messages
    const char *variables[2];   ///< eastward and northward; NULL: usual names
    const char *start;          ///< date and time of time 0; NULL: the first time of the file
    double longitude, latitude; ///< rad, of the origin, for files with longitudes and latitudes; NAN: not given
    double earth_radius;        ///< m
    size_t level;               ///< from 1
} MrnGridRequest;

/// Read a netCDF file held in memory into a grid in the plane: x east, y north, in m. False with a message that names
/// the file and what is wrong.
bool mrn_forcing_read_netcdf(const MrnGridRequest *request, const char *data, size_t size, MrnForcing *forcing,
                             MrnError *error);

/// Read a table of wind or current from CSV text. `columns`: time, x, y by name, where the first line holds names, or
/// by number from 1; NULL: the first three. With `interval` > 0 (s) rows are that far apart and columns[0] is not used.
bool mrn_forcing_read_csv(const char *name, const char *text, const char *const columns[3], double interval,
                          double time_unit, double unit, MrnForcing *forcing, MrnError *error);

/// Seconds between a date "1990-01-01[ T]00:00:00" and a reference date, by a CF calendar; NAN when a date does not
/// exist or cannot be read.
double mrn_calendar_seconds(const char *calendar, const char *date, const char *reference);

#endif
