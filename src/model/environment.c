// Defaults, hash and release of the surroundings.
#include "model/environment.h"
#include "base/hash.h"

#include <stdlib.h>

MrnEnvironment mrn_environment_defaults(void) {
    return (MrnEnvironment){.air_density = 1.341, // specification 3.1
                            .air_drag = 1.7e-3,
                            .water_density = 1024.071,
                            .water_drag = 5e-3,
                            .rotation_rate = 7.292e-5,
                            .earth_radius = 6.371e6,
                            .ocean_depth = 15,
                            .ocean_friction = 1e-5,
                            .elements = 25};
}

void mrn_forcing_free(MrnForcing *forcing) {
    free(forcing->times);
    free(forcing->x);
    free(forcing->y);
    free(forcing->magnitude);
    free(forcing->angle);
    *forcing = (MrnForcing){0};
}

void mrn_environment_free(MrnEnvironment *environment) {
    if (!environment) return;
    mrn_forcing_free(&environment->wind);
    mrn_forcing_free(&environment->current);
    free(environment);
}

static uint64_t hash_forcing(uint64_t hash, const MrnForcing *forcing) {
    size_t points = forcing->kind == MRN_FORCING_GRID ? forcing->x_count * forcing->y_count : 1;
    double numbers[] = {(double)forcing->kind, forcing->value[0], forcing->value[1],    forcing->centre[0],
                        forcing->centre[1],    forcing->speed,    forcing->length,      forcing->direction,
                        forcing->ramp,         forcing->start,    (double)forcing->hold};
    hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
    if (!forcing->times) return hash;
    hash = mrn_hash_bytes(hash, forcing->times, forcing->time_count * sizeof(double));
    if (forcing->kind == MRN_FORCING_GRID) {
        hash = mrn_hash_bytes(hash, forcing->x, forcing->x_count * sizeof(double));
        hash = mrn_hash_bytes(hash, forcing->y, forcing->y_count * sizeof(double));
    }
    hash = mrn_hash_bytes(hash, forcing->magnitude, forcing->time_count * points * sizeof(double));
    return mrn_hash_bytes(hash, forcing->angle, forcing->time_count * points * sizeof(double));
}

uint64_t mrn_environment_hash(uint64_t hash, const MrnEnvironment *e) {
    double numbers[] = {e->air_density,   e->air_drag,       e->water_density,           e->water_drag,
                        e->linear_drag,   e->rotation_rate,  (double)e->relative_wind,   e->latitude,
                        e->earth_radius,  e->ocean_depth,    (double)e->follow_latitude, e->ocean_area,
                        (double)e->ocean, e->ocean_friction, (double)e->elements};
    hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
    return hash_forcing(hash_forcing(hash, &e->wind), &e->current);
}
