// The options of moraine plot that say what is measured: window of time, region, direction, bins.
#include "cli/plot.h"

#include "base/error.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A length in metres, with or without a unit.
static bool read_length(const char *text, double *out) {
    MrnQuantity quantity;
    char reason[200];
    if (!mrn_quantity_parse(text, &quantity, reason, sizeof reason)) return false;
    *out = quantity.value;
    return isfinite(quantity.value) &&
           (mrn_dimension_equal(quantity.dimension, mrn_dimension_of(MRN_DIMENSION_LENGTH)) ||
            mrn_dimension_equal(quantity.dimension, mrn_dimension_of(MRN_DIMENSION_NUMBER)));
}

/// `count` lengths with commas between them.
static bool read_lengths(const char *text, int count, double *out) {
    char *copy = mrn_strdup(text), *rest = copy;
    bool fine = true;
    for (int k = 0; k < count && fine; k++) {
        char *comma = strchr(rest, ',');
        fine = (comma != NULL) == (k + 1 < count);
        if (comma) *comma = 0;
        fine = fine && read_length(rest, &out[k]);
        if (comma) rest = comma + 1;
    }
    free(copy);
    return fine;
}

static bool read_region(const char *text, int dimension, MrnRegion *region, MrnError *error) {
    const char *ball = dimension == 2 ? "disc" : "ball";
    char *copy = mrn_strdup(text), *first = strchr(copy, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    bool fine = first && second;
    if (fine) {
        *first = *second = 0;
        *region = (MrnRegion){0};
        if (strcmp(copy, "box") == 0) {
            region->kind = MRN_REGION_BOX;
            fine = read_lengths(first + 1, dimension, region->low) && read_lengths(second + 1, dimension, region->high);
        } else if (strcmp(copy, ball) == 0 || strcmp(copy, "sphere") == 0) {
            region->kind = MRN_REGION_BALL;
            fine = read_lengths(first + 1, dimension, region->centre) && read_length(second + 1, &region->radius);
        } else
            fine = false;
    }
    free(copy);
    if (fine) return true;
    return mrn_fail(error, MRN_ERROR_INPUT,
                    dimension == 2
                        ? "option --region wants box:X,Y:X,Y (two corners) or disc:X,Y:R in this run, not '%.200s'"
                        : "option --region wants box:X,Y,Z:X,Y,Z (two corners) or ball:X,Y,Z:R in this run, not "
                          "'%.200s'",
                    text);
}

static bool read_direction(const char *text, int dimension, double direction[3], MrnError *error) {
    double square = 0;
    bool fine = false;
    direction[0] = direction[1] = direction[2] = 0;
    if (strlen(text) == 1 && text[0] >= 'x' && text[0] < 'x' + dimension)
        direction[text[0] - 'x'] = 1, fine = true;
    else
        fine = read_lengths(text, dimension, direction);
    for (int k = 0; k < dimension; k++) square += direction[k] * direction[k];
    if (fine && square > 0) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "option --along wants %s, or %d numbers with commas, not '%.100s'",
                    dimension == 2 ? "x or y" : "x, y or z", dimension, text);
}

bool mrn_plot_options(const MrnArguments *arguments, int dimension, MrnMeasureOptions *options, MrnError *error) {
    *options = mrn_measure_defaults();
    if (mrn_argument_given(arguments, "from")) options->from = mrn_argument_number(arguments, "from", 0);
    if (mrn_argument_given(arguments, "to")) options->to = mrn_argument_number(arguments, "to", 0);
    options->bins = (size_t)mrn_argument_number(arguments, "bins", 0);
    if (options->bins > 100000)
        return mrn_fail(error, MRN_ERROR_INPUT, "option --bins: at most 100000, not %zu", options->bins);
    const char *region = mrn_argument_text(arguments, "region", NULL),
               *along = mrn_argument_text(arguments, "along", NULL);
    return (!region || read_region(region, dimension, &options->region, error)) &&
           (!along || read_direction(along, dimension, options->direction, error));
}
