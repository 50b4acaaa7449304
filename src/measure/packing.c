// How bodies fill space: solid fraction, free surface.
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

// ---- Solid fraction ----

static void note_volumes(MrnSheet *sheet, bool exact) {
    mrn_sheet_note(sheet, exact
                              ? "bodies cut by the border of the region count with the part inside"
                              : "discs and balls cut by the border of the region count with the part inside, bodies of "
                                "other shapes whole when their centre is inside");
}

static bool solid_fraction(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Solid fraction");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "solid fraction", "1", MRN_COLUMN_LINE);
    bool exact = true;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        MrnRegion region;
        double solid = 0;
        if (!mrn_measure_region(input, &walk.frame, &region)) continue;
        for (size_t b = 0; b < walk.frame.body_count; b++)
            if (mrn_frame_has(input->model, &walk.frame, (int)b))
                solid += mrn_body_volume_in(input->model, &walk.frame, (int)b, &region, &exact);
        mrn_sheet_row(out, (double[]){walk.frame.time, solid / mrn_region_volume(&region, input->model->dimension)});
    }
    note_volumes(out, exact);
    if (input->options.region.kind == MRN_REGION_ALL)
        mrn_sheet_note(out, "no region given: the smallest box around the free bodies of each frame");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_solid_fraction = {
    .name = "solid_fraction",
    .summary = "volume of the free bodies over the volume of the region",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = solid_fraction,
};
