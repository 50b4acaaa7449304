// Prescribed motion: pose and velocity of a driven body as functions of time.
#include "base/vec.h"
#include "model/model.h"

#include <string.h>

/// Displacement, angle and their rates at time t.
static void motion(const MrnDriver *driver, double t, double x[3], double v[3], double *angle, double *rate) {
    switch (driver->kind) {
    case MRN_DRIVER_CONSTANT:
        for (int k = 0; k < 3; k++) x[k] = driver->velocity[k] * t, v[k] = driver->velocity[k];
        *angle = driver->angular_velocity * t;
        *rate = driver->angular_velocity;
        return;
    case MRN_DRIVER_SINE: {
        double w = 2 * M_PI * driver->frequency, s = sin(w * t + driver->phase), c = cos(w * t + driver->phase);
        for (int k = 0; k < 3; k++) x[k] = driver->amplitude[k] * s, v[k] = driver->amplitude[k] * w * c;
        *angle = driver->angular_amplitude * s;
        *rate = driver->angular_amplitude * w * c;
        return;
    }
    case MRN_DRIVER_TABLE: {
        const double *row = driver->table;
        size_t n = driver->table_count, i = 0;
        if (t <= row[0] || t >= row[5 * (n - 1)]) { // at rest before and after the table
            const double *end = t <= row[0] ? row : row + 5 * (n - 1);
            memcpy(x, end + 1, 3 * sizeof(double));
            memset(v, 0, 3 * sizeof(double));
            *angle = end[4];
            *rate = 0;
            return;
        }
        while (row[5 * (i + 1)] <= t) i++;
        const double *a = row + 5 * i, *b = a + 5;
        double length = b[0] - a[0], s = (t - a[0]) / length;
        for (int k = 0; k < 3; k++) x[k] = a[1 + k] + s * (b[1 + k] - a[1 + k]), v[k] = (b[1 + k] - a[1 + k]) / length;
        *angle = a[4] + s * (b[4] - a[4]);
        *rate = (b[4] - a[4]) / length;
        return;
    }
    }
}

void mrn_driver_state(const MrnModel *model, int index, double time, double position[3], double rotation[4],
                      double velocity[3], double spin[3]) {
    const MrnBody *body = &model->bodies.data[index];
    const MrnDriver *driver = &model->drivers.data[body->driver];
    double x[3], angle = 0, rate = 0;
    motion(driver, time, x, velocity, &angle, &rate);
    for (int k = 0; k < 3; k++) position[k] = body->position[k] + x[k];
    if (model->dimension == 2) {
        rotation[0] = body->start->rotation[0] + angle;
        spin[0] = spin[1] = 0;
        spin[2] = rate;
        return;
    }
    MrnVec3 axis = mrn_load3(driver->axis);
    MrnQuat turn = mrn_quat_exp(mrn_scale3(0.5 * angle, axis));
    mrn_quat_store(rotation, mrn_quat_normalize(mrn_quat_multiply(turn, mrn_quat_load(body->start->rotation))));
    mrn_store3(spin, mrn_scale3(rate, axis));
}
