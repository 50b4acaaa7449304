// The page of a report: gathers the run, then writes its sections in the order of the table.
#include "report/report.h"

#include "base/error.h"
#include "report/section.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

// Made from page.css and page.js.
extern const char mrn_report_page_css[], mrn_report_page_js[];

static bool has_frames(const MrnReport *report) {
    return report->frame_count > 0 && report->options->pictures;
}
static bool has_steps(const MrnReport *report) {
    return report->step_count > 0;
}
static bool has_wall_time(const MrnReport *report) {
    return report->step_count > 0 && report->digest.seconds_total > 0;
}

/// A new section is one row here and one function.
static const MrnReportSection sections[] = {
    {"verdict", NULL, NULL, mrn_report_verdict},
    {"pictures", NULL, has_frames, mrn_report_pictures},
    {"charts", "Over time", has_steps, mrn_report_charts},
    {"certificates", "Certificates", NULL, mrn_report_certificates},
    {"scene", "What was simulated", NULL, mrn_report_scene},
    {"performance", "Performance", has_wall_time, mrn_report_performance},
    {"reproduce", "How to reproduce it", NULL, mrn_report_reproduce},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static bool section_applies(const MrnReport *report, int s) {
    return !sections[s].applies || sections[s].applies(report);
}

static void write_head(MrnReport *report) {
    MrnOutput *out = report->out;
    const char *title = report->scene->title && *report->scene->title ? report->scene->title : report->scene->name;
    mrn_output_text(
        out, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
             "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
             "<meta name=color-scheme content=\"light dark\"><meta name=generator content=\"moraine " MORAINE_VERSION
             "\">\n<title>");
    mrn_html_text(out, title);
    mrn_output_text(out, "</title>\n<style>\n");
    mrn_output_text(out, mrn_report_page_css);
    mrn_output_text(out,
                    "</style></head>\n<body><a class=skip href=#main>Skip to the report</a>\n<header><p class=kicker>"
                    "Moraine · report of a run</p><h1>");
    mrn_html_text(out, title);
    mrn_output_text(out, "</h1><p class=source>");
    mrn_html_text(out, report->scene->name);
    for (size_t i = 0; i < report->scene->override_count; i++) {
        mrn_output_text(out, " <code>");
        mrn_html_text(out, report->scene->overrides[i]);
        mrn_output_text(out, "</code>");
    }
    mrn_output_text(out, "</p><nav aria-label=Sections>");
    for (int s = 0; s < SECTIONS; s++)
        if (sections[s].title && section_applies(report, s)) {
            mrn_output_format(out, "<a href=\"#%s\">", sections[s].id);
            mrn_html_text(out, sections[s].title);
            mrn_output_text(out, "</a>");
        }
    mrn_output_text(out, "</nav></header>\n<main id=main>\n");
}

static bool write_page(MrnReport *report, MrnError *error) {
    MrnOutput *out = report->out;
    write_head(report);
    for (int s = 0; s < SECTIONS; s++) {
        if (!section_applies(report, s)) continue;
        mrn_output_format(out, "<section id=\"%s\">", sections[s].id);
        if (sections[s].title) {
            mrn_output_text(out, "<h2>");
            mrn_html_text(out, sections[s].title);
            mrn_output_text(out, "</h2>\n");
        }
        if (!sections[s].write(report, error)) return false;
        mrn_output_text(out, "</section>\n");
    }
    mrn_output_text(out,
                    "</main>\n<footer>Made by moraine " MORAINE_VERSION " from the run file alone. This page needs no "
                    "network.</footer>\n<script>\n");
    mrn_output_text(out, mrn_report_page_js);
    mrn_output_text(out, "</script></body></html>\n");
    return true;
}

bool mrn_report_write(MrnRunFile *file, const MrnReportOptions *options, const char *path, MrnReportSummary *summary,
                      MrnError *error) {
    MrnScene *scene = mrn_run_file_scene(file, error);
    if (!scene) return false;
    MrnReport report = {.file = file,
                        .scene = scene,
                        .model = scene->model,
                        .options = options,
                        .parameters = mrn_run_file_layout(file)->parameters,
                        .step_count = mrn_run_file_step_count(file),
                        .frame_count = mrn_run_file_frame_count(file)};
    mrn_run_file_last_checkpoint(file, &report.checkpoint);
    if (!mrn_hdf5_read_attribute_text(mrn_run_file_layout(file)->file, "program", report.program,
                                      sizeof report.program))
        snprintf(report.program, sizeof report.program, "unknown");
    MrnOutput out;
    bool fine = mrn_report_digest(&report, error) && mrn_output_open(&out, path, error);
    if (fine) {
        report.out = &out;
        mrn_report_judge(&report);
        fine = write_page(&report, error);
        size_t bytes = out.written;
        if (fine)
            fine = mrn_output_close(&out, error);
        else
            mrn_output_discard(&out);
        if (summary) {
            *summary = (MrnReportSummary){.verdict = report.verdict, .bytes = bytes};
            memcpy(summary->sentence, report.sentence, sizeof summary->sentence);
        }
    }
    free(report.steps);
    mrn_scene_free(scene);
    return fine;
}
