// Sections about the run itself: verdict, certificates, what was simulated, performance, how to reproduce.
#include "report/section.h"

#include "draw/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const marks[] = {"✓", "!", "✗"};
static const char *const words[] = {"Sound", "Sound with remarks", "Not to be trusted"};

static void tile(MrnOutput *out, const char *name, const char *value, const char *unit) {
    mrn_output_text(out, "<div><dt>");
    mrn_html_text(out, name);
    mrn_output_text(out, "</dt><dd>");
    mrn_html_format(out, "%s", value);
    if (unit && *unit) {
        mrn_output_text(out, " <small>");
        mrn_html_format(out, "%s", unit);
        mrn_output_text(out, "</small>");
    }
    mrn_output_text(out, "</dd></div>\n");
}

/// A whole number in groups of three.
static void grouped(int64_t value, char *text, size_t size) {
    char plain[32];
    int length = snprintf(plain, sizeof plain, "%lld", (long long)value);
    size_t used = 0;
    for (int i = 0; i < length && used + 4 < size; i++) {
        if (i && (length - i) % 3 == 0 && plain[i - 1] != '-') memcpy(text + used, "\xe2\x80\xaf", 3), used += 3;
        text[used++] = plain[i];
    }
    text[used] = 0;
}

bool mrn_report_verdict(MrnReport *report, MrnError *error) {
    (void)error;
    MrnOutput *out = report->out;
    mrn_output_format(
        out, "<div class=\"verdict %s\"><span class=mark aria-hidden=true>%s</span><div><strong>%s</strong><p>",
        mrn_verdict_name(report->verdict), marks[report->verdict],
        report->step_count ? words[report->verdict] : "Not started");
    mrn_html_format(out, "%s", report->sentence);
    mrn_output_text(out, "</p></div></div>\n<dl class=tiles>\n");
    char text[96], unit[48];
    grouped((int64_t)report->model->bodies.count, text, sizeof text);
    tile(out, "bodies", text, report->model->dimension == 2 ? "in 2D" : "in 3D");
    grouped(report->digest.contacts_max, text, sizeof text);
    tile(out, "contacts, at most", text, "");
    grouped((int64_t)report->step_count, text, sizeof text);
    mrn_number_with_unit(report->parameters.time_step, "s", unit, sizeof unit);
    char of[64];
    snprintf(of, sizeof of, "of %s", unit);
    tile(out, "steps", text, of);
    mrn_number_with_unit(report->step_count ? report->steps[report->step_count - 1].time : 0, "s", text, sizeof text);
    tile(out, "simulated", text, "");
    mrn_number_with_unit(report->digest.seconds_total, "s", text, sizeof text);
    tile(out, "computed in", text, "");
    tile(out, "worst residual", mrn_power(report->digest.residual_max).text, "");
    mrn_output_text(out, "</dl>\n");
    return true;
}

bool mrn_report_certificates(MrnReport *report, MrnError *error) {
    (void)error;
    MrnOutput *out = report->out;
    const MrnRunDigest *d = &report->digest;
    mrn_output_text(
        out, "<table class=findings><caption>What was checked in every step</caption><thead><tr>"
             "<th scope=col>check</th><th scope=col>value</th><th scope=col>in words</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < report->finding_count; i++) {
        const MrnFinding *f = &report->findings[i];
        mrn_output_format(out, "<tr class=%s><th scope=row><span class=mark title=\"%s\">%s</span> ",
                          mrn_verdict_name(f->verdict), mrn_verdict_name(f->verdict), marks[f->verdict]);
        mrn_html_text(out, f->name);
        mrn_output_text(out, "</th><td class=number>");
        mrn_html_format(out, "%s", f->value);
        mrn_output_text(out, "</td><td>");
        mrn_html_format(out, "%s", f->text);
        mrn_output_text(out, "</td></tr>\n");
    }
    mrn_output_text(out, "</tbody></table>\n");
    if (!report->step_count) return true;
    mrn_output_text(out, "<div class=columns><table><caption>Energy from start to end</caption><tbody>\n");
    mrn_html_row_number(out, "at the start", d->energy_start, "J");
    mrn_html_row_number(out, "work of drivers", d->driver_work, "J");
    mrn_html_row_number(out, "dissipated by contacts", -d->dissipated, "J");
    mrn_html_row_number(out, "at the end", d->energy_last, "J");
    mrn_html_row_number(out, "unexplained", d->energy_last - (d->energy_start + d->driver_work - d->dissipated), "J");
    mrn_output_text(out, "</tbody></table>\n<table><caption>Worst of all steps</caption><tbody>\n");
    mrn_html_row(out, "residual", "%s", mrn_power(d->residual_max).text);
    mrn_html_row(out, "scaled residual", "%s", mrn_power(d->scaled_residual_max).text);
    mrn_html_row_number(out, "penetration", d->penetration_max, "m");
    mrn_html_row(out, "cone violation", "%s", mrn_power(d->cone_violation_max).text);
    mrn_html_row_number(out, "energy defect", d->defect_worst, "J");
    mrn_output_text(out,
                    "</tbody></table></div>\n"
                    "<details><summary>What these numbers mean</summary><p>The residual is "
                    "‖p − P<sub>K</sub>(p − û)‖ / ‖q‖ over all contacts: how far the impulses p are from obeying "
                    "non-penetration and Coulomb’s law exactly. It is computed afresh from p after the solver has "
                    "ended, not taken from it; the scaled residual is the one that the tolerance is set for. "
                    "Penetration is the deepest overlap at mid-step. The energy defect is what the energy identity "
                    "of the time scheme leaves over.</p></details>\n");
    return true;
}

static void write_bodies(MrnReport *report) {
    static const char *const kinds[] = {
        [MRN_BODY_FREE] = "free", [MRN_BODY_FIXED] = "fixed", [MRN_BODY_DRIVEN] = "driven"};
    MrnOutput *out = report->out;
    const MrnModel *model = report->model;
    mrn_output_text(out, "<table><caption>Bodies</caption><thead><tr><th scope=col>kind</th><th scope=col>shape</th>"
                         "<th scope=col class=number>number</th><th scope=col class=number>mass</th>"
                         "<th scope=col class=number>half width</th></tr></thead><tbody>\n");
    for (int kind = 0; kind <= MRN_BODY_DRIVEN; kind++)
        for (int shape = 0; shape <= MRN_SHAPE_COUNT + 1; shape++) {
            size_t count = 0;
            double mass = 0, low = INFINITY, high = 0;
            for (size_t b = 0; b < model->bodies.count; b++) {
                const MrnBody *body = &model->bodies.data[b];
                int is = body->shape_count == 1 ? (int)model->shapes.data[body->first_shape].kind
                         : body->shape_count    ? MRN_SHAPE_COUNT
                                                : MRN_SHAPE_COUNT + 1;
                if ((int)body->kind != kind || is != shape) continue;
                count++;
                mass += body->mass;
                low = fmin(low, body->size), high = fmax(high, body->size);
            }
            if (!count) continue;
            char number[32];
            grouped((int64_t)count, number, sizeof number);
            mrn_output_format(out, "<tr><th scope=row>%s</th><td>", kinds[kind]);
            mrn_html_text(out, shape < MRN_SHAPE_COUNT    ? mrn_shape_name((MrnShapeKind)shape)
                               : shape == MRN_SHAPE_COUNT ? "several shapes"
                                                          : "point");
            mrn_output_format(out, "</td><td class=number>%s</td><td class=number>", number);
            if (mass > 0) mrn_html_format(out, "%.4g kg", mass);
            mrn_output_text(out, "</td><td class=number>");
            if (kind == MRN_BODY_FREE && shape <= MRN_SHAPE_COUNT) {
                mrn_html_number(out, low, "m");
                if (high > low * (1 + 1e-9)) {
                    mrn_output_text(out, " to ");
                    mrn_html_number(out, high, "m");
                }
            }
            mrn_output_text(out, "</td></tr>\n");
        }
    mrn_output_text(out, "</tbody></table>\n");
}

static void write_law(MrnOutput *out, const char *a, const char *b, const MrnPairLaw *law) {
    mrn_output_text(out, "<tr><th scope=row>");
    mrn_html_text(out, a);
    if (b) {
        mrn_output_text(out, " on ");
        mrn_html_text(out, b);
    }
    mrn_output_format(out, "</th><td class=number>%.6g</td><td class=number>%.6g</td><td class=number>%.6g</td><td>",
                      law->friction, law->normal_restitution, law->tangential_restitution);
    if (law->cross_friction >= 0) mrn_html_format(out, "friction across %.6g ", law->cross_friction);
    if (law->rolling_length > 0) mrn_html_format(out, "rolling length %.6g m", law->rolling_length);
    mrn_output_text(out, "</td></tr>\n");
}

static void write_materials(MrnReport *report) {
    MrnOutput *out = report->out;
    const MrnModel *model = report->model;
    mrn_output_text(out, "<table><caption>Materials</caption><tbody>\n");
    for (size_t m = 0; m < model->materials.count; m++)
        mrn_html_row(out, model->materials.data[m].name, "%.6g %s", model->materials.data[m].density,
                     model->dimension == 2 ? "kg/m²" : "kg/m³");
    mrn_output_text(out, "</tbody></table>\n<table><caption>Laws of contact</caption><thead><tr><th scope=col>between"
                         "</th><th scope=col class=number>friction</th><th scope=col class=number>restitution</th>"
                         "<th scope=col class=number>tangential</th><th scope=col></th></tr></thead><tbody>\n");
    for (size_t i = 0; i < model->laws.count; i++)
        write_law(out, model->materials.data[model->laws.data[i].material_a].name,
                  model->materials.data[model->laws.data[i].material_b].name, &model->laws.data[i].law);
    write_law(out, model->laws.count ? "all other pairs" : "all pairs", NULL, &model->default_law);
    mrn_output_text(out, "</tbody></table>\n");
}

bool mrn_report_scene(MrnReport *report, MrnError *error) {
    (void)error;
    MrnOutput *out = report->out;
    const MrnScheme *scheme = &report->scene->scheme;
    mrn_output_text(out, "<div class=columns>\n");
    write_bodies(report);
    write_materials(report);
    mrn_output_text(out, "<table><caption>Method</caption><tbody>\n");
    mrn_html_row(out, "time stepping", "%s, θ = %.4g", scheme->stepper, scheme->theta);
    mrn_html_row_number(out, "time step", scheme->time_step, "s");
    mrn_html_row(out, "solver", "%s", scheme->solver.solver);
    mrn_html_row(out, "tolerance", "%s", mrn_power(scheme->solver.tolerance).text);
    const double *g = report->model->gravity;
    if (report->model->dimension == 2)
        mrn_html_row(out, "gravity", "(%.4g, %.4g) m/s²", g[0], g[1]);
    else
        mrn_html_row(out, "gravity", "(%.4g, %.4g, %.4g) m/s²", g[0], g[1], g[2]);
    mrn_html_row_number(out, "end time", report->parameters.end_time, "s");
    mrn_html_row(out, "frames", "%zu", report->frame_count);
    mrn_output_text(out, "</tbody></table>\n</div>\n<details><summary>Scene as it was given</summary>\n<pre><code>");
    mrn_html_text(out, report->scene->text);
    mrn_output_text(out, "</code></pre></details>\n");
    return true;
}

static void bar_piece(MrnOutput *out, const char *name, double seconds, double total, int color) {
    if (!(seconds > 0)) return;
    mrn_output_format(out, "<span class=\"b%d\" style=\"flex:%.5f\" title=\"%s: %.1f %%\"></span>", color,
                      seconds / total, name, 100 * seconds / total);
}

bool mrn_report_performance(MrnReport *report, MrnError *error) {
    (void)error;
    MrnOutput *out = report->out;
    const MrnRunDigest *d = &report->digest;
    double rest = fmax(d->seconds_total - d->seconds_detect - d->seconds_assemble - d->seconds_solve, 0);
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"finding contacts", d->seconds_detect},
                 {"building the problem", d->seconds_assemble},
                 {"solving it", d->seconds_solve},
                 {"moving bodies and the rest", rest}};
    mrn_output_text(out, "<div class=bar role=img aria-label=\"Share of the wall time of each part\">");
    for (int i = 0; i < 4; i++) bar_piece(out, parts[i].name, parts[i].seconds, d->seconds_total, i + 1);
    mrn_output_text(out, "</div>\n<div class=columns><table><caption>Wall time</caption><tbody>\n");
    for (int i = 0; i < 4; i++) {
        char time[64];
        mrn_number_with_unit(parts[i].seconds, "s", time, sizeof time);
        mrn_output_format(out,
                          "<tr><th scope=row><i class=\"key b%d\"></i> %s</th><td class=number>%s</td>"
                          "<td class=number>%.1f %%</td></tr>\n",
                          i + 1, parts[i].name, time, 100 * parts[i].seconds / d->seconds_total);
    }
    mrn_output_text(out, "</tbody></table>\n<table><caption>Rates</caption><tbody>\n");
    mrn_html_row(out, "steps per second", "%.4g", (double)report->step_count / d->seconds_total);
    mrn_html_row(out, "contacts per step, mean", "%.4g", d->contacts_mean);
    mrn_html_row(out, "sweeps per step, mean", "%.4g", d->sweeps_mean);
    mrn_html_row(out, "contacts solved per second", "%.3g", d->contact_steps / d->seconds_total);
    if (d->seconds_solve > 0)
        mrn_html_row(out, "contact sweeps per second of solving", "%.3g", d->contact_sweeps / d->seconds_solve);
    mrn_html_row(out, "simulated per second of wall time", "%.3g s",
                 report->steps[report->step_count - 1].time / d->seconds_total);
    mrn_html_row(out, "threads", "%lld", (long long)report->parameters.threads);
    mrn_output_text(out, "</tbody></table></div>\n");
    return true;
}

/// A word as a shell reads it.
static void shell_word(MrnOutput *out, const char *word) {
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%") == strlen(word)) {
        mrn_html_text(out, word);
        return;
    }
    mrn_output_text(out, "'");
    for (; *word; word++) {
        char letter[2] = {*word, 0};
        if (*word == '\'')
            mrn_html_text(out, "'\\''");
        else if ((unsigned char)*word < 0x80)
            mrn_html_text(out, letter);
        else
            mrn_output_write(out, word, 1);
    }
    mrn_output_text(out, "'");
}

bool mrn_report_reproduce(MrnReport *report, MrnError *error) {
    (void)error;
    MrnOutput *out = report->out;
    const MrnScene *scene = report->scene;
    const char *slash = strrchr(scene->name, '/'), *file = slash ? slash + 1 : scene->name;
    bool shipped = strncmp(scene->name, "gallery:", 8) == 0;
    mrn_output_text(out,
                    "<p>The run file holds the scene, and a run depends on nothing else: the same version gives the "
                    "same bits, on any number of threads.</p>\n<pre class=command><code>");
    mrn_output_text(out, "moraine run ");
    shell_word(out, shipped ? scene->name : file);
    for (size_t i = 0; i < scene->override_count; i++) {
        mrn_output_text(out, " --set ");
        shell_word(out, scene->overrides[i]);
    }
    if (fabs(report->parameters.end_time - scene->duration) > 1e-9 * scene->duration)
        mrn_html_format(out, " --until %.9g", report->parameters.end_time);
    mrn_output_text(out, "</code></pre>\n");
    if (!shipped) {
        mrn_output_text(out, "<p><a download=\"");
        mrn_html_text(out, file);
        mrn_output_text(out, "\" href=\"");
        mrn_html_data_uri(out, "text/yaml", scene->text, strlen(scene->text));
        mrn_output_text(out, "\">Save the scene</a>");
        if (scene->file_count)
            mrn_html_format(out, " (it names %zu more files, which are in the run)", scene->file_count);
        mrn_output_text(out, ".</p>\n");
    }
    mrn_output_text(out, "<table><caption>Fingerprints</caption><tbody>\n");
    mrn_html_row(out, "made by", "%s", report->program);
    mrn_html_row(out, "reported by", "moraine " MORAINE_VERSION);
    mrn_html_row(out, "run file", "%s", report->options->run_path);
    struct stat status;
    if (stat(report->options->run_path, &status) == 0)
        mrn_html_row(out, "its size", "%.4g MB", (double)status.st_size / 1e6);
    mrn_html_row(out, "model", "%016llx", (unsigned long long)report->parameters.model_hash);
    mrn_html_row(out, "settings", "%016llx", (unsigned long long)report->parameters.scheme_hash);
    if (report->checkpoint.sequence)
        mrn_html_row(out, "last state", "%016llx, after step %lld", (unsigned long long)report->checkpoint.state_hash,
                     (long long)report->checkpoint.step_rows);
    mrn_output_text(out, "</tbody></table>\n");
    return true;
}
