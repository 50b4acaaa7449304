// What bodies do to obstacles: piers, walls, ships.
//
// The force on an obstacle is the sum of the impulses of its contacts in the step of a frame over the length of that
// step. Collisions last a moment: to see each of them, record a frame per step.
#include "measure/measure.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 12 ///< obstacles that have columns of their own

static bool obstacles(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnModel *model = input->model;
    size_t chosen[MOST], count = 0, all = 0, dimension = (size_t)model->dimension;
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind == MRN_BODY_FREE) continue;
        if (all++ < MOST) chosen[count++] = b;
    }
    static const char *const axes[3] = {"x", "y", "z"};
    mrn_sheet_title(out, "Force on the obstacles");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dimension; k++) {
            char name[200];
            snprintf(name, sizeof name, "%.150s %s", mrn_model_body_name(model, (int)chosen[i]), axes[k]);
            mrn_sheet_column(out, name, "N", k ? MRN_COLUMN_DASHED : MRN_COLUMN_LINE);
        }
    double *row = mrn_alloc(1 + 3 * MOST, sizeof *row);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        memset(row, 0, (1 + 3 * MOST) * sizeof *row);
        row[0] = walk.frame.time;
        for (size_t c = 0; c < walk.frame.contact_count; c++) {
            const MrnContactView *contact = &walk.frame.contacts[c];
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < dimension; k++) {
                    double force = contact->impulse[k] / input->time_step; // on A
                    if (contact->body_a == (int)chosen[i]) row[1 + i * dimension + k] += force;
                    if (contact->body_b == (int)chosen[i]) row[1 + i * dimension + k] -= force;
                }
        }
        mrn_sheet_row(out, row);
    }
    free(row);
    mrn_sheet_note(out,
                   "mean over the step of each frame; obstacle_x and obstacle_y of the step table have every step, "
                   "all obstacles together");
    if (all > count) mrn_sheet_note(out, "the first %zu of %zu obstacles", count, all);
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_obstacles = {.name = "obstacles",
                                          .summary = "force on each fixed or driven body",
                                          .units = "N",
                                          .drawing = MRN_DRAWING_SERIES,
                                          .needs = MRN_NEEDS_OBSTACLES,
                                          .compute = obstacles};
