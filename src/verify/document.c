// The validation page: every case with its numbers, the quantities that `expect` understands, and the checklist of
// features.
#include "verify/history.h"
#include "verify/verify.h"

#include <math.h>
#include <string.h>

/// Text in a cell of a table: bars and line breaks would end it.
static void cell(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            fputs("\\|", out);
        else if (*text == '\n')
            fputc(' ', out);
        else
            fputc(*text, out);
    }
}

static void write_rows(FILE *out, const MrnVerifyReport *report) {
    static const char *const marks[] = {"", "≤ ", "≥ ", ""};
    fputs("\n| quantity | published or exact | computed | tolerance | |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < report->rows.count; i++) {
        const MrnVerifyRow *row = &report->rows.data[i];
        fputs("| ", out);
        cell(out, row->quantity);
        if (*row->unit) fprintf(out, " [%s]", row->unit);
        if (row->relation == MRN_MEASURED)
            fprintf(out, " | – | %.6g | – | measured |\n", row->computed);
        else {
            fprintf(out, " | %s%.10g | %.10g | ", marks[row->relation], row->published, row->computed);
            if (row->relation == MRN_EQUAL)
                fprintf(out, "%.2g", row->tolerance);
            else
                fputs("–", out);
            fprintf(out, " | %s |\n", row->pass ? "pass" : "**fail**");
        }
    }
}

static void write_sources(FILE *out, const MrnVerifyReport *report) {
    const char *last = "";
    for (size_t i = 0; i < report->rows.count; i++) {
        const char *source = report->rows.data[i].source;
        if (!*source || strcmp(source, last) == 0) continue;
        bool known = false; // each source once
        for (size_t j = 0; j < i && !known; j++) known = strcmp(report->rows.data[j].source, source) == 0;
        if (!known) fprintf(out, "\nSource: %s.\n", source);
        last = source;
    }
}

static void write_checklist(FILE *out, const char *title, const char *work, const MrnChecklistRow *rows, size_t count) {
    size_t open = 0;
    for (size_t i = 0; i < count; i++) open += rows[i].open != NULL;
    fprintf(
        out,
        "\n## %s\n\nEvery feature that %s describes, where it is coded and how it is checked: %zu rows, %zu of them "
        "with something still open.\n\n| # | feature | coded in | checked by | still open |\n|---|---|---|---|---|\n",
        title, work, count, open);
    for (size_t i = 0; i < count; i++) {
        const MrnChecklistRow *row = &rows[i];
        fprintf(out, "| %d | ", row->number);
        cell(out, row->feature);
        fprintf(out, " | %s%s%s | %s | ", *row->coded ? "`" : "", *row->coded ? row->coded : "–",
                *row->coded ? "`" : "", *row->checked ? row->checked : "–");
        cell(out, row->open ? row->open : "");
        fputs(" |\n", out);
    }
}

void mrn_verify_markdown(FILE *out, const MrnVerifyReport *reports, size_t count) {
    size_t ran = 0, rows = 0, failed = 0, measured = 0;
    for (size_t i = 0; i < count; i++) {
        ran += reports[i].rows.count > 0;
        rows += reports[i].rows.count;
        for (size_t k = 0; k < reports[i].rows.count; k++) {
            failed += !reports[i].rows.data[k].pass;
            measured += reports[i].rows.data[k].relation == MRN_MEASURED;
        }
    }
    fprintf(out,
            "# Validation\n\n"
            "Written by `moraine verify --all --markdown`. A case compares numbers that this program computes with "
            "published or exact ones; rows marked "
            "*measured* have no number to compare with. Tolerances are those of rounding where the result is exact, "
            "the digits printed in the source where a "
            "number comes from a reference computation, and otherwise derived, as the row says.\n\n"
            "%zu of %zu cases were run here: %zu numbers compared, %zu pass, %zu fail; %zu measured.\n\n"
            "Cases named T-… are the catalogue of the Contact Dynamics specification; the other names are scenes of "
            "the gallery. `moraine run "
            "gallery:NAME` runs a scene, `moraine verify NAME` a case.\n",
            ran, count, rows - measured, rows - measured - failed, failed, measured);
    fputs("\n| case | title | scene | numbers | |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < count; i++) {
        const MrnVerifyCase *about = reports[i].about;
        fprintf(out, "| [%s](#%s) | ", about->name, about->name);
        cell(out, about->title);
        fprintf(out, " | %s | %zu | %s |\n", about->scene ? about->scene : "", reports[i].rows.count,
                !reports[i].rows.count           ? "not run"
                : mrn_verify_passed(&reports[i]) ? "pass"
                                                 : "**fail**");
    }
    for (size_t i = 0; i < count; i++) {
        const MrnVerifyReport *report = &reports[i];
        const MrnVerifyCase *about = report->about;
        fprintf(out, "\n<a id=\"%s\"></a>\n\n## %s: %s\n", about->name, about->name, about->title);
        if (about->explanation && *about->explanation) fprintf(out, "\n%s\n", about->explanation);
        if (about->scene) fprintf(out, "\nScene: `gallery:%s`.\n", about->scene);
        if (!report->rows.count) {
            fprintf(out, "\nNot run here%s.\n", about->slow ? ": a slow case, which runs with `--all`" : "");
            continue;
        }
        write_sources(out, report);
        write_rows(out, report);
    }
    fputs("\n## Quantities of `expect`\n\nWhat the `expect` section of a scene can name. `|quantity|` is the absolute "
          "value. Quantities are sampled at the start "
          "and after every step; first times, maxima and means are those of the samples, `at` is interpolated.\n\n| "
          "quantity | is | of |\n|---|---|---|\n",
          out);
    mrn_list_quantities(out);
    write_checklist(out, "Checklist", "Moreau 2003", mrn_checklist, mrn_checklist_count);
    write_checklist(out, "Checklist of floes", "Rabatel 2015", mrn_floe_checklist, mrn_floe_checklist_count);
    write_checklist(out, "Checklist of grains", "Cherkaoui 2021 (chapters 3 to 5)", mrn_grain_checklist,
                    mrn_grain_checklist_count);
}
