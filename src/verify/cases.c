// The table of cases: the catalogue of the Contact Dynamics specification, section 14.
#include "verify/cases.h"

const MrnVerifyCase mrn_case_table[] = {
    {"T-K1", "Viability", "", NULL, mrn_case_viability, false, ""},
    {"T-K2", "tractrix", "", NULL, mrn_case_tractrix, false, ""},
    {"T-K3", "", "", NULL, mrn_case_non_expansion, false, ""},
    {"T-K4", "", "", NULL, mrn_case_rate_independence, false, ""},
    {"T-K5", "", "", NULL, mrn_case_complementarity, false, ""},
    {"T-K6", "", "", NULL, mrn_case_trickle, false, ""},
    {"T-D1", "", "", NULL, mrn_case_free_fall, false, ""},
    {"T-D2", "", "", NULL, mrn_case_groove, false, ""},
    {"T-D3", "", "", NULL, mrn_case_ring, false, ""},
    {"T-D4", "", "", NULL, mrn_case_delassus, false, ""},
    {"T-D5", "", "", NULL, mrn_case_quadratic_programme, false, ""},
    {"T-D6", "", "", NULL, mrn_case_jacobian, false, ""},
    {"T-L1", "", "", NULL, mrn_case_prospective, false, ""},
    {"T-L2", "", "", NULL, mrn_case_bipotential, false, ""},
    {"T-L3", "", "", NULL, mrn_case_local_table, false, ""},
    {"T-L4", "", "", NULL, mrn_case_variants, false, ""},
    {"T-F1", "", "", "disc_on_incline", mrn_case_incline, false, ""},
    {"T-F2", "", "", "sliding_block", mrn_case_sliding_block, false, ""},
    {"T-W1", "", "", "conveyor", mrn_case_conveyor, false, ""},
    {"T-W2", "", "", "grain_in_drum", mrn_case_drum, false, ""},
    {"T-W3", "", "", "vibrated_plate", mrn_case_vibrated_plate, false, ""},
    {"T-F5", "", "", NULL, mrn_case_painleve, false, ""},
};
const size_t mrn_case_table_count = sizeof mrn_case_table / sizeof *mrn_case_table;
