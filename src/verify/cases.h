// The tables of cases, one per work (cases_*.c), and the functions of cases.
#ifndef MRN_VERIFY_CASES_H
#define MRN_VERIFY_CASES_H

#include "verify/verify.h"

#define MRN_CASE_TABLES(X) X(moreau) X(rabatel) X(cherkaoui) X(nineb) X(grains)
#define X(name)                                                                                                        \
    extern const MrnVerifyCase mrn_cases_##name[];                                                                     \
    extern const size_t mrn_cases_##name##_count;
MRN_CASE_TABLES(X)
#undef X

// clang-format off
#define MRN_CASE_FUNCTIONS(X)                                                                                          \
    X(viability) X(tractrix) X(non_expansion) X(rate_independence) X(complementarity) X(trickle) X(free_fall)          \
    X(groove) X(ring) X(delassus) X(quadratic_programme) X(jacobian) X(prospective) X(bipotential) X(local_table)      \
    X(variants) X(incline) X(sliding_block) X(conveyor) X(drum) X(vibrated_plate) X(painleve) X(newton_limit)          \
    X(three_parameters) X(collective) X(bounces) X(rocking) X(darboux) X(rod_impact) X(bar) X(random_starts)           \
    X(scan_orders) X(history) X(pile_numbers) X(top) X(orientation) X(elastic_bar) X(rolling) X(corners) X(singular)   \
    X(elliptic) X(smooth_dem) X(event_driven) X(energy_identity) X(momentum) X(refresh) X(warm_start) X(cycles)        \
    X(capture) X(order_of_accuracy) X(determinism) X(memory) X(head_on) X(rebounds) X(column) X(box_of_discs) X(belt)  \
    X(fixed_drum) X(lcp_units) X(samples) X(large_sample) X(sedimentation) X(steel_drum) X(dem_rebound) X(dem_roll)    \
    X(dem_drum) X(floe_symmetry) X(floe_box) X(floe_cradle) X(floe_cannon) X(floe_bounces) X(floe_elastic_ball)        \
    X(floe_long_cradle) X(floe_frames) X(floe_friction) X(floe_energy_fallback) X(floe_lcp) X(floe_basin)              \
    X(floe_stability) X(floe_free_drift) X(floe_turning) X(floe_inertial) X(floe_quadrature) X(floe_pack)              \
    X(floe_impact_properties) X(floe_frontal) X(floe_discs) X(floe_periodic) X(conical_pile) X(preparation)            \
    X(floe_channel) X(open_drift) X(drift_influences) X(floe_breaking)
// clang-format on
#define X(name) void mrn_case_##name(MrnVerifyReport *report);
MRN_CASE_FUNCTIONS(X)
#undef X
void mrn_check_episodes(MrnVerifyReport *report); ///< second part of the case event_driven
#endif
