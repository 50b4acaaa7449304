// The sedimentation and drum campaigns of Cherkaoui (sections 3.5.3 and 3.5.4): cost of the local methods EPDAS, IPDAS,
// SAL and IBP inside Gauss-Seidel, with the columns of the thesis beside ours.
//
//   active_set [sedimentation|drum] [LARGEST N] [SECONDS]      default: both, 200 bodies, 1 s simulated as published
//
// Iterations are sweeps summed over all steps; CPU is the time of the contact solves. The thesis gives seconds of a
// machine it does not name: compare ratios. A last row, not in the thesis, is the default solver at the residual that
// EPDAS reached.
#include "verify/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_row(const MrnCampaign *campaign, int size, int method, const MrnCampaignOutcome *o,
                      const MrnCampaignOutcome *first) {
    bool published = method < MRN_CAMPAIGN_METHODS;
    printf("%5d  %-6s %11.0f %9.2f %8.2f %8.2f | ", mrn_campaign_sizes[size],
           published ? mrn_campaign_methods[method] : "auto", o->iterations, o->seconds,
           o->iterations / first->iterations, o->seconds / first->seconds);
    if (published)
        printf("%11.0f %9.2f %8.2f %8.2f", campaign->iterations[method][size], campaign->seconds[method][size],
               campaign->iterations[method][size] / campaign->iterations[0][size],
               campaign->seconds[method][size] / campaign->seconds[0][size]);
    else
        printf("%11s %9s %8s %8s", "", "", "", "");
    printf(" | %11.2e %9.1e %6lld\n", o->final_penetration, o->residual, (long long)o->capped);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "";
    int largest = argc > 2 ? atoi(argv[2]) : 200;
    double duration = argc > 3 ? atof(argv[3]) : 1;
    for (size_t c = 0; c < 2; c++) {
        const MrnCampaign *campaign = &mrn_campaigns[c];
        if (*which && strcmp(which, campaign->name)) continue;
        printf("%s, %g s simulated, step %g s\n", campaign->name, duration, MRN_CAMPAIGN_TIME_STEP);
        printf("%5s  %-6s %11s %9s %8s %8s | %11s %9s %8s %8s | %11s %9s %6s\n", "N", "method", "iterations", "CPU s",
               "it/EPDAS", "CPU/EPD.", "thesis it.", "CPU s", "it/EPDAS", "CPU/EPD.", "penetration", "residual",
               "capped");
        for (int s = 0; s < MRN_CAMPAIGN_SIZES && mrn_campaign_sizes[s] <= largest; s++) {
            MrnCampaignOutcome first = {0}, outcome;
            for (int m = 0; m <= MRN_CAMPAIGN_METHODS; m++) {
                MrnError error = {0};
                if (!mrn_campaign_run(campaign, s, m, first.residual, duration, &outcome, &error)) {
                    fprintf(stderr, "active_set: %s\n", error.message);
                    return 1;
                }
                if (m == 0) first = outcome;
                print_row(campaign, s, m, &outcome, &first);
            }
        }
    }
    return 0;
}
