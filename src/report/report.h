// The report of a run: one HTML page that holds everything it shows and needs no network.
//
// The page is a list of sections. A section is one row of the table in report.c: when it applies, and what it writes.
#ifndef MRN_REPORT_REPORT_H
#define MRN_REPORT_REPORT_H

#include <moraine/run.h>

/// What the numbers of a run say about it, from good to bad.
typedef enum MrnVerdict { MRN_VERDICT_SOUND, MRN_VERDICT_ATTENTION, MRN_VERDICT_UNSOUND } MrnVerdict;
const char *mrn_verdict_name(MrnVerdict verdict);

typedef struct MrnReportOptions {
    const char *run_path; ///< as the user names the run
    bool pictures;        ///< default true
} MrnReportOptions;

typedef struct MrnReportSummary {
    MrnVerdict verdict;
    char sentence[512]; ///< the verdict in words
    size_t bytes;       ///< of the page
} MrnReportSummary;

/// Write the page to `path`. Pictures need cairo; without it the page says so.
bool mrn_report_write(MrnRunFile *file, const MrnReportOptions *options, const char *path, MrnReportSummary *summary,
                      MrnError *error);

#endif
