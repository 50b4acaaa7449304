// Motion as a sequence of smooth episodes: the event-driven method, for small systems in generalised coordinates.
//
// Between events the contacts that are closed and the sense of sliding of each do not change, and the accelerations
// obey Gauss' principle for unilateral constraints: 0 <= d2g/dt2 _|_ R_n >= 0, with the curvature of the constraints
// (Moreau 2003, 4.3 Remark 2), and Coulomb's law. Events are an impact, a release, the begin and the end of sliding,
// and frictional paroxysms, in which the velocity jumps without an impact. Which contacts are released follows from the
// complementarity problem of accelerations, not from the signs of bilateral reactions (Delassus). A reference to
// compare time stepping with: it finds every event, so it is for few contacts only.
#ifndef MRN_STEP_EPISODES_H
#define MRN_STEP_EPISODES_H

#include <moraine/error.h>

#define MRN_EPISODES_MAX 12 ///< largest number of coordinates and of contacts

/// A contact in one configuration: relative velocities U = row v + offset, first normal, then tangential.
typedef struct MrnEpisodeContact {
    double gap;                      ///< m
    double row[2][MRN_EPISODES_MAX]; ///< rows of G; row[0] is the gradient of the gap
    double offset[2];                ///< m/s, of moving obstacles
    double bend[2];                  ///< m/s2: dU/dt = row dv/dt + bend
    double friction, normal_restitution, tangential_restitution;
} MrnEpisodeContact;

/// A system whose bilateral constraints are eliminated by its coordinates q; v = dq/dt.
typedef struct MrnEpisodeSystem {
    int coordinates, contacts;
    void (*inertia)(const void *context, const double *q, double *A); ///< symmetric positive definite, row-major
    void (*force)(const void *context, double time, const double *q, const double *v,
                  double *F); ///< with centrifugal and gyroscopic terms
    void (*contact)(const void *context, int contact, double time, const double *q, const double *v,
                    MrnEpisodeContact *out); ///< `out` is zero before
    const void *context;
} MrnEpisodeSystem;

typedef enum MrnEpisodeStatus { MRN_EPISODE_OPEN, MRN_EPISODE_STICK, MRN_EPISODE_SLIP } MrnEpisodeStatus;

typedef enum MrnEventKind {
    MRN_EVENT_NONE,
    MRN_EVENT_IMPACT,
    MRN_EVENT_RELEASE,
    MRN_EVENT_STICK,
    MRN_EVENT_SLIP,
    MRN_EVENT_PAROXYSM
} MrnEventKind;

/// Where the motion is.
typedef struct MrnEpisodes {
    const MrnEpisodeSystem *system;
    double time, q[MRN_EPISODES_MAX], v[MRN_EPISODES_MAX], acceleration[MRN_EPISODES_MAX];
    MrnEpisodeStatus status[MRN_EPISODES_MAX];
    int sense[MRN_EPISODES_MAX];            ///< of sliding: sign of the tangential velocity
    double reaction[MRN_EPISODES_MAX][2];   ///< N, normal and tangential
    double percussion[MRN_EPISODES_MAX][2]; ///< N s, of the last jump
    MrnEventKind event;                     ///< the last one
    int event_contact;                      ///< its contact
} MrnEpisodes;

/// Begin at the given place; contacts that touch and do not separate are closed. Velocities that penetrate are an
/// impact at once.
bool mrn_episodes_start(MrnEpisodes *episodes, const MrnEpisodeSystem *system, const double *q, const double *v,
                        MrnError *error);
/// Go on to `until` with Runge-Kutta steps of length `step`, or to the next event, whichever comes first; the event is
/// carried out, and named in `event`.
bool mrn_episodes_advance(MrnEpisodes *episodes, double until, double step, MrnError *error);

#endif
