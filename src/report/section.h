// What the sections of a report share: the run in numbers, and writing HTML.
#ifndef MRN_REPORT_SECTION_H
#define MRN_REPORT_SECTION_H

#include "io/output.h"
#include "io/run_file.h"
#include "model/model.h"
#include "report/report.h"

/// Sums and extremes of the step table.
typedef struct MrnRunDigest {
    size_t unsolved;
    double contacts_mean, sweeps_mean;
    int64_t contacts_max, sweeps_max;
    double residual_max, scaled_residual_max, penetration_max, cone_violation_max, speed_max;
    size_t scaled_residual_step, penetration_step;        ///< rows of the worst
    double energy_first, energy_last;                     ///< J, after the first and the last step
    double energy_start;                                  ///< J, before the first step
    double dissipated, driver_work, defect, defect_worst; ///< J, sums; largest of a step
    double energy_scale;                                  ///< J: what energies are compared with
    double seconds_detect, seconds_assemble, seconds_solve, seconds_total;
    MrnCollisionCount collisions;         ///< event-driven
    double contact_steps, contact_sweeps; ///< sums of contacts, and of contacts times sweeps
    bool finite;                          ///< no NaN or infinity among energies and residuals
} MrnRunDigest;

/// One line of the certificate: what was checked, how it came out, in words.
typedef struct MrnFinding {
    const char *name;
    MrnVerdict verdict;
    char value[144];
    char text[320];
} MrnFinding;
enum { MRN_FINDINGS_MAX = 12 };

/// A report under construction.
typedef struct MrnReport {
    MrnRunFile *file;
    const MrnScene *scene;
    const MrnModel *model;
    const MrnReportOptions *options;
    MrnRunParameters parameters;
    MrnCheckpoint checkpoint; ///< the newest; sequence 0: none
    char program[128];        ///< that made the run
    size_t step_count, frame_count;
    MrnStepInfo *steps;
    MrnRunDigest digest;
    double smallest; ///< m, size of the smallest free body; 0 if there is none
    size_t finding_count;
    MrnFinding findings[MRN_FINDINGS_MAX];
    MrnVerdict verdict;
    char sentence[512];
    int chart_count; ///< numbers the charts of the page
    MrnOutput *out;
} MrnReport;

/// One row of the table of sections.
typedef struct MrnReportSection {
    const char *id, *title;
    bool (*applies)(const MrnReport *report); ///< NULL: always
    bool (*write)(MrnReport *report, MrnError *error);
} MrnReportSection;

// html.c
void mrn_html_text(MrnOutput *out, const char *text); ///< escaped
/// Escaped, with "^{...}" as superscript.
void mrn_html_format(MrnOutput *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mrn_html_number(MrnOutput *out, double value, const char *unit); ///< "1.25 ms"
/// "1.4·10⁻⁴": a pure number of any size in two digits, with superscripts as letters; returns `text`.
typedef struct MrnPower {
    char text[48];
} MrnPower;
MrnPower mrn_power(double value);
void mrn_html_data_uri(MrnOutput *out, const char *type, const void *data, size_t size);
/// A row of a table of two columns; the value as in mrn_html_format.
void mrn_html_row(MrnOutput *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void mrn_html_row_number(MrnOutput *out, const char *name, double value, const char *unit);

// chart.c
typedef struct MrnChartSeries {
    const char *label;
    const double *y;   ///< one per step; NaN: not drawn
    int color;         ///< 1..8
    bool dashed, dots; ///< a dashed line; single points
} MrnChartSeries;
typedef struct MrnChart {
    const char *title, *unit; ///< SI unit or "1"
    const char *text;         ///< one sentence for readers that do not see it
    bool logarithmic, from_zero;
    size_t count;    ///< points of each series
    const double *x; ///< s
    size_t series_count;
    const MrnChartSeries *series;
    double line; ///< a horizontal line (the tolerance), or NAN
    const char *line_label;
} MrnChart;
void mrn_chart_write(MrnReport *report, const MrnChart *chart);

// digest.c
/// Read the step table and fill report->digest from it.
bool mrn_report_digest(MrnReport *report, MrnError *error);
void mrn_report_digest_steps(MrnReport *report); ///< the second half of it
/// Judge the run: fills findings, verdict and sentence.
void mrn_report_judge(MrnReport *report);

// The sections
bool mrn_report_verdict(MrnReport *report, MrnError *error);
bool mrn_report_pictures(MrnReport *report, MrnError *error);
bool mrn_report_charts(MrnReport *report, MrnError *error);
bool mrn_report_certificates(MrnReport *report, MrnError *error);
bool mrn_report_scene(MrnReport *report, MrnError *error);
bool mrn_report_performance(MrnReport *report, MrnError *error);
bool mrn_report_reproduce(MrnReport *report, MrnError *error);

#endif
