// The sedimentation and drum campaigns of Cherkaoui (sections 3.5.3 and 3.5.4): cost of the local methods EPDAS, IPDAS,
// SAL and IBP inside Gauss-Seidel, with the columns of the thesis beside ours.
//
//   active_set [sedimentation|drum|both] [SMALLEST N] [LARGEST N] [SECONDS] [LEAD] [METHOD]
//
// Default: both, 100 to 200 bodies, 1 s simulated from a lattice, as published, all methods. With a lead, every method
// starts from the same regime, which the default solver has made in LEAD seconds, and runs for SECONDS: the affordable
// way to look at 1600 bodies.
//
// Iterations are sweeps per step; CPU is processor time of the contact solves. The thesis gives seconds of a machine it
// does not name: compare ratios. Two last rows are not in the thesis: EPDAS with gamma from the block of each contact
// (epdas*), and the default solver at the residual that EPDAS reached.
#include "model/state.h"
#include "verify/campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(int method) {
    return method < MRN_CAMPAIGN_METHODS  ? mrn_campaign_methods[method]
           : method == MRN_CAMPAIGN_GAMMA ? "epdas*"
                                          : "auto";
}

static void print_row(const MrnCampaign *campaign, int size, int method, const MrnCampaignOutcome *o,
                      const MrnCampaignOutcome *first) {
    bool published = method < MRN_CAMPAIGN_METHODS;
    double steps = (double)o->steps;
    printf("%5d  %-6s %8.0f %8.1f %9.3f %8.2f %8.2f | ", mrn_campaign_sizes[size], name_of(method), o->contacts,
           o->iterations / steps, 1e3 * o->seconds / steps, o->iterations / first->iterations,
           o->seconds / first->seconds);
    if (published)
        printf("%8.1f %9.3f %8.2f %8.2f", campaign->iterations[method][size] / 1e4,
               0.1 * campaign->seconds[method][size],
               campaign->iterations[method][size] / campaign->iterations[0][size],
               campaign->seconds[method][size] / campaign->seconds[0][size]);
    else
        printf("%8s %9s %8s %8s", "", "", "", "");
    printf(" | %11.2e %9.1e %6lld\n", o->final_penetration, o->residual, (long long)o->capped);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "both";
    int smallest = argc > 2 ? atoi(argv[2]) : 100, largest = argc > 3 ? atoi(argv[3]) : 200;
    double duration = argc > 4 ? atof(argv[4]) : 1, lead = argc > 5 ? atof(argv[5]) : 0;
    const char *only = argc > 6 ? argv[6] : NULL;
    for (size_t c = 0; c < 2; c++) {
        const MrnCampaign *campaign = &mrn_campaigns[c];
        if (strcmp(which, "both") && strcmp(which, campaign->name)) continue;
        printf("%s, %.0f steps of %g s after %g s\n", campaign->name, duration / MRN_CAMPAIGN_TIME_STEP,
               MRN_CAMPAIGN_TIME_STEP, lead);
        printf("%5s  %-6s %8s %8s %9s %8s %8s | %8s %9s %8s %8s | %11s %9s %6s\n", "N", "method", "contacts", "it/step",
               "ms/step", "it/EPDAS", "CPU/EPD.", "thesis", "ms/step", "it/EPDAS", "CPU/EPD.", "penetration",
               "residual", "capped");
        for (int s = 0; s < MRN_CAMPAIGN_SIZES; s++) {
            if (mrn_campaign_sizes[s] < smallest || mrn_campaign_sizes[s] > largest) continue;
            MrnCampaignOutcome first = {.iterations = NAN, .seconds = NAN, .residual = 1e-6}, outcome;
            MrnError error = {0};
            MrnState *start = lead > 0 ? mrn_campaign_start(campaign, s, lead, &error) : NULL;
            bool good = start || !(lead > 0);
            for (int m = 0; m <= MRN_CAMPAIGN_DEFAULT && good; m++) {
                if (only && strcmp(only, name_of(m))) continue;
                good = mrn_campaign_run(campaign, s, m, first.residual, duration, start, &outcome, &error);
                if (m == 0) first = outcome;
                if (good) print_row(campaign, s, m, &outcome, &first);
            }
            if (start) mrn_state_free(start);
            if (!good) {
                fprintf(stderr, "active_set: %s\n", error.message);
                return 1;
            }
        }
    }
    return 0;
}
