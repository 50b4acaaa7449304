// Verification: the cases whose numbers are known, published or exact, and how far the program is from them.
//
// A case is a scene of the gallery with its `expect` section, a function that checks facts no scene can state, or both.
// Each gives rows: a quantity, the value it must have, the value computed here, the tolerance.
#ifndef MRN_VERIFY_VERIFY_H
#define MRN_VERIFY_VERIFY_H

#include "base/memory.h"
#include <moraine/scene.h>
#include <stdio.h>

/// What must hold between the published and the computed value.
typedef enum MrnRelation {
    MRN_EQUAL,    ///< |computed - published| <= tolerance
    MRN_AT_MOST,  ///< computed <= published
    MRN_AT_LEAST, ///< computed >= published
    MRN_MEASURED  ///< nothing: a number worth knowing
} MrnRelation;

typedef struct MrnVerifyRow {
    const char *name; ///< of the case
    char *quantity;   ///< what is compared
    char *unit;       ///< SI unit, "" for a pure number
    double published; ///< published or exact value, or the bound; NAN when measured
    double computed;
    double tolerance; ///< >= 0
    MrnRelation relation;
    bool pass;
    char *source; ///< where the value comes from
} MrnVerifyRow;

/// The rows of one case.
typedef struct MrnVerifyReport {
    const struct MrnVerifyCase *about;
    const char *source; ///< of the rows that give none
    MRN_ARRAY(MrnVerifyRow) rows;
    double seconds; ///< wall time of the case
} MrnVerifyReport;

typedef struct MrnVerifyCase {
    const char *name;                       ///< "T-C5", or the name of a scene
    const char *title;                      ///< one line
    const char *source;                     ///< publication
    const char *scene;                      ///< of the gallery, or NULL
    void (*check)(MrnVerifyReport *report); ///< or NULL
    bool slow;                              ///< only with --all or by name
    const char *explanation;                ///< what the case shows and why numbers may differ; Markdown
} MrnVerifyCase;

/// All cases: the tables of cases_*.c, then the gallery scenes with an `expect` section that no case of the table uses.
/// The list lives until the program ends.
const MrnVerifyCase *mrn_verify_cases(size_t *count);
/// The case of that name (any letter case), or the one that uses the scene of that name. -1: none, with the nearest
/// name in `hint` or "".
int mrn_verify_find(const char *name, char *hint, size_t hint_size);
/// Run one case.
void mrn_verify_run(const MrnVerifyCase *about, MrnVerifyReport *report);
/// Run the scene file at `path`, which need not be of the gallery, and compare with its `expect` section.
bool mrn_verify_file(const char *path, MrnVerifyReport *report, MrnError *error);
void mrn_verify_report_free(MrnVerifyReport *report);
bool mrn_verify_passed(const MrnVerifyReport *report); ///< at least one row, and every row passes

/// Write docs/validation.md from the reports of all cases, in the order of mrn_verify_cases; a report without rows is
/// one that was left out.
void mrn_verify_markdown(FILE *out, const MrnVerifyReport *reports, size_t count);

/// The checklist of features of Moreau 2003 (97 rows).
typedef struct MrnChecklistRow {
    int number;
    const char *feature;
    const char *coded;   ///< file, or "" where there is nothing to code
    const char *checked; ///< case or test
    const char *open;    ///< what is not there yet, or NULL
} MrnChecklistRow;
extern const MrnChecklistRow mrn_checklist[];
extern const size_t mrn_checklist_count;
/// The checklist of rigid-floe dynamics, Rabatel 2015 (116 rows).
extern const MrnChecklistRow mrn_floe_checklist[];
extern const size_t mrn_floe_checklist_count;
/// The checklist of active-set granular dynamics, Cherkaoui 2021 (55 rows).
extern const MrnChecklistRow mrn_grain_checklist[];
extern const size_t mrn_grain_checklist_count;
#endif
