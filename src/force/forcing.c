// Values of wind and current: constants, tables, closed forms, grids. Interpolation is polar along the shorter arc, in
// time first, then in space (Rabatel 2015, 2.2.2), so that a turning wind keeps its strength.
#include "force/forcing.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define PI 3.14159265358979323846

MrnPolar mrn_polar_between(MrnPolar a, MrnPolar b, double share) {
    if (a.magnitude == 0) a.angle = b.angle;
    if (b.magnitude == 0) b.angle = a.angle;
    double turn = b.angle - a.angle;
    if (turn > PI) turn -= 2 * PI;
    if (turn < -PI) turn += 2 * PI;
    return (MrnPolar){share * b.magnitude + (1 - share) * a.magnitude, a.angle + share * turn};
}

bool mrn_forcing_table(MrnForcing *forcing, const double *rows, size_t count, MrnError *error) {
    if (count < 1) return mrn_fail(error, MRN_ERROR_INPUT, "the table has no rows");
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(rows[i])) return mrn_fail(error, MRN_ERROR_INPUT, "row %zu: a number is not finite", i / 3 + 1);
    for (size_t i = 1; i < count; i++)
        if (!(rows[3 * i] > rows[3 * i - 3]))
            return mrn_fail(error, MRN_ERROR_INPUT, "row %zu: times must increase (found %g s after %g s)", i + 1,
                            rows[3 * i], rows[3 * i - 3]);
    forcing->kind = MRN_FORCING_TABLE;
    forcing->time_count = count;
    forcing->times = mrn_alloc(count, sizeof(double));
    forcing->magnitude = mrn_alloc(count, sizeof(double));
    forcing->angle = mrn_alloc(count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        forcing->times[i] = rows[3 * i];
        forcing->magnitude[i] = hypot(rows[3 * i + 1], rows[3 * i + 2]);
        forcing->angle[i] = atan2(rows[3 * i + 2], rows[3 * i + 1]);
    }
    return true;
}

/// Interval of increasing knots that holds x, and the share of it; the ends are held.
static size_t locate(const double *knots, size_t count, double x, double *share) {
    *share = 0;
    if (count == 1 || !(x > knots[0])) return 0;
    if (x >= knots[count - 1]) {
        *share = 1;
        return count - 2;
    }
    size_t low = 0, high = count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (knots[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    *share = (x - knots[low]) / (knots[high] - knots[low]);
    return low;
}

static MrnPolar in_time(const MrnForcing *forcing, size_t points, size_t point, size_t interval, double share) {
    size_t i = interval * points + point, j = forcing->time_count > 1 ? i + points : i;
    return mrn_polar_between((MrnPolar){forcing->magnitude[i], forcing->angle[i]},
                             (MrnPolar){forcing->magnitude[j], forcing->angle[j]}, share);
}

static MrnPolar on_grid(const MrnForcing *forcing, double time, const double place[2]) {
    double share, along_x, along_y;
    size_t interval = locate(forcing->times, forcing->time_count, time, &share);
    size_t i = locate(forcing->x, forcing->x_count, place[0], &along_x),
           j = locate(forcing->y, forcing->y_count, place[1], &along_y);
    size_t points = forcing->x_count * forcing->y_count, right = forcing->x_count > 1,
           up = forcing->y_count > 1 ? forcing->x_count : 0, first = j * forcing->x_count + i;
    MrnPolar rows[2];
    for (size_t k = 0; k < 2; k++) {
        MrnPolar a = in_time(forcing, points, first + k * up, interval, share),
                 b = in_time(forcing, points, first + k * up + right, interval, share);
        rows[k] = mrn_polar_between(a, b, along_x);
    }
    return mrn_polar_between(rows[0], rows[1], along_y);
}

void mrn_forcing_at(const MrnForcing *forcing, double time, const double place[2], double value[2]) {
    double factor = 1, own_time = forcing->start + time;
    if (forcing->ramp > 0) {
        factor = fmin(fmax(time / forcing->ramp, 0), 1);
        own_time = forcing->start + fmax(time - forcing->ramp, 0);
    }
    double dx = place[0] - forcing->centre[0], dy = place[1] - forcing->centre[1];
    switch (forcing->kind) {
    case MRN_FORCING_UNIFORM: value[0] = factor * forcing->value[0], value[1] = factor * forcing->value[1]; return;
    case MRN_FORCING_TABLE:
    case MRN_FORCING_GRID: {
        MrnPolar polar;
        if (forcing->kind == MRN_FORCING_TABLE) {
            double share;
            size_t interval = locate(forcing->times, forcing->time_count, own_time, &share);
            polar = in_time(forcing, 1, 0, interval, share);
        } else
            polar = on_grid(forcing, own_time, place);
        value[0] = factor * polar.magnitude * cos(polar.angle);
        value[1] = factor * polar.magnitude * sin(polar.angle);
        return;
    }
    case MRN_FORCING_VORTEX: {
        double r = hypot(dx, dy), l = forcing->length, rate = factor * forcing->speed * (r <= l ? 1 / l : l / (r * r));
        value[0] = -rate * dy, value[1] = rate * dx;
        return;
    }
    case MRN_FORCING_RADIAL: {
        double rate = factor * forcing->speed / fmax(hypot(dx, dy), forcing->length);
        value[0] = rate * dx, value[1] = rate * dy;
        return;
    }
    case MRN_FORCING_CHANNEL: {
        double c = cos(forcing->direction), s = sin(forcing->direction), across = (c * dy - s * dx) / forcing->length;
        double speed = factor * forcing->speed * fmax(0, 1 - across * across);
        value[0] = speed * c, value[1] = speed * s;
        return;
    }
    }
}

bool mrn_forcing_is_uniform(const MrnForcing *forcing) {
    return forcing->kind == MRN_FORCING_UNIFORM || forcing->kind == MRN_FORCING_TABLE;
}

bool mrn_forcing_covers(const MrnForcing *forcing, double end, const char *what, MrnError *error) {
    if (!forcing->times || forcing->time_count == 1 || forcing->hold) return true; // one time: it holds always
    double first = forcing->times[0], last = forcing->times[forcing->time_count - 1];
    double from = forcing->start, to = forcing->start + fmax(0, end - forcing->ramp), slack = 1e-9 * fabs(last - first);
    if (from >= first - slack && to <= last + slack) return true;
    return mrn_fail(error, MRN_ERROR_INPUT,
                    "%s: the scene needs times %.10g s to %.10g s of the data, which hold %.10g s to %.10g s", what,
                    from, to, first, last);
}

bool mrn_forcing_reaches(const MrnForcing *forcing, const double place[2]) {
    if (forcing->kind != MRN_FORCING_GRID) return true;
    return (forcing->x_count == 1 || (place[0] >= forcing->x[0] && place[0] <= forcing->x[forcing->x_count - 1])) &&
           (forcing->y_count == 1 || (place[1] >= forcing->y[0] && place[1] <= forcing->y[forcing->y_count - 1]));
}

bool mrn_forcing_is_known(const MrnForcing *forcing, double time, const double place[2]) {
    double value[2];
    mrn_forcing_at(forcing, time, place, value);
    return isfinite(value[0]) && isfinite(value[1]);
}

double mrn_forcing_largest(const MrnForcing *forcing) {
    if (forcing->kind == MRN_FORCING_UNIFORM) return hypot(forcing->value[0], forcing->value[1]);
    if (!forcing->times) return fabs(forcing->speed);
    size_t points = forcing->kind == MRN_FORCING_GRID ? forcing->x_count * forcing->y_count : 1;
    double largest = 0;
    for (size_t i = 0; i < forcing->time_count * points; i++) largest = fmax(largest, forcing->magnitude[i]);
    return largest;
}
