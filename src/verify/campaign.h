// The sedimentation and drum campaigns of Cherkaoui (sections 3.5.3 and 3.5.4): one run with one local method.
#ifndef MRN_VERIFY_CAMPAIGN_H
#define MRN_VERIFY_CAMPAIGN_H

#include <moraine/moraine.h>

enum {
    MRN_CAMPAIGN_METHODS = 4,
    MRN_CAMPAIGN_GAMMA = MRN_CAMPAIGN_METHODS,       ///< epdas with gamma from the blocks of the contacts
    MRN_CAMPAIGN_DEFAULT = MRN_CAMPAIGN_METHODS + 1, ///< the default solver
    MRN_CAMPAIGN_SIZES = 5
};
extern const char *const mrn_campaign_methods[MRN_CAMPAIGN_METHODS]; ///< epdas, ipdas, sal, ibp
extern const int mrn_campaign_sizes[MRN_CAMPAIGN_SIZES];             ///< 100 to 1600 grains
#define MRN_CAMPAIGN_TIME_STEP 1e-4

typedef struct MrnCampaign {
    const char *name;
    bool drum;
    double restitution, tangential_restitution, friction;
    double gamma_normal, gamma_tangent, accuracy; ///< force form, as published
    double iterations[MRN_CAMPAIGN_METHODS][MRN_CAMPAIGN_SIZES], seconds[MRN_CAMPAIGN_METHODS][MRN_CAMPAIGN_SIZES];
} MrnCampaign;
extern const MrnCampaign mrn_campaigns[2]; ///< sedimentation, drum

typedef struct MrnCampaignOutcome {
    double iterations; ///< sweeps, all steps
    double seconds;    ///< of processor time, in the contact solves
    double contacts;   ///< per step, mean
    int64_t steps;
    double penetration;              ///< m, largest
    double final_penetration;        ///< m, largest in the last tenth
    double residual;                 ///< geometric mean over the steps with contacts
    double kinetic, largest_kinetic; ///< J, at the end and at most
    double slope;                    ///< rad, turn of the mass centre about the drum's, mean over the second half
    int64_t capped;                  ///< steps that ended at the largest number of sweeps
    int escaped;                     ///< grains outside
} MrnCampaignOutcome;

/// The state after `lead` seconds with the default solver to 1e-4 and steps ten times longer: the regime that runs can
/// start from. NULL with the error.
struct MrnState *mrn_campaign_start(const MrnCampaign *campaign, int size, double lead, MrnError *error);

/// `method`: an index into mrn_campaign_methods, MRN_CAMPAIGN_GAMMA, or MRN_CAMPAIGN_DEFAULT to `residual`. Starts from
/// `start`, or from the lattice where it is NULL. False with the error.
bool mrn_campaign_run(const MrnCampaign *campaign, int size, int method, double residual, double duration,
                      const struct MrnState *start, MrnCampaignOutcome *outcome, MrnError *error);
#endif
