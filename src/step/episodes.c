// The event-driven method in generalised coordinates: complementarity of accelerations within an episode, events found
// by bisection, jumps by the weighted velocities of Moreau 2003 (M32)-(M34).
#include "step/episodes.h"

#include "base/error.h"
#include "problem/problem.h"

#include <math.h>
#include <moraine/lcp.h>
#include <string.h>

enum { MAX = MRN_EPISODES_MAX };
#define TOUCHING 1e-10 ///< m and m/s: gaps and velocities below count as none
#define STILL    1e-9  ///< m/s2: so do accelerations

typedef struct Place {
    int n;
    double inverse[MAX * MAX], F[MAX];
    MrnEpisodeContact contact[MAX];
} Place;

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/// Inverse of a symmetric positive definite matrix, by Gauss and Jordan.
static void invert(int n, const double *A, double *inverse) {
    double M[MAX][2 * MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) M[i][j] = j < n ? A[i * n + j] : j == n + i;
    for (int p = 0; p < n; p++) {
        double pivot = M[p][p];
        for (int j = 0; j < 2 * n; j++) M[p][j] /= pivot;
        for (int i = 0; i < n; i++) {
            if (i == p) continue;
            double factor = M[i][p];
            for (int j = 0; j < 2 * n; j++) M[i][j] -= factor * M[p][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) inverse[i * n + j] = M[i][n + j];
}

static void look(const MrnEpisodeSystem *system, double t, const double *q, const double *v, Place *place) {
    int n = place->n = system->coordinates;
    double A[MAX * MAX];
    system->inertia(system->context, q, A);
    invert(n, A, place->inverse);
    system->force(system->context, t, q, v, place->F);
    memset(place->contact, 0, sizeof place->contact);
    for (int c = 0; c < system->contacts; c++) system->contact(system->context, c, t, q, v, &place->contact[c]);
}

static void times_inverse(const Place *place, const double *f, double *out) {
    for (int i = 0; i < place->n; i++) out[i] = dot(place->n, place->inverse + i * place->n, f);
}

static double velocity(const Place *place, int c, int component, const double *v) {
    return dot(place->n, place->contact[c].row[component], v) + place->contact[c].offset[component];
}

/// One unknown of the complementarity problem: a generalised force of unit size, and the row that it is paired with.
typedef struct Unknown {
    int contact, kind; ///< 0 normal, 1 and 2 friction forwards and backwards, 3 the speed that friction lets go
} Unknown;

/// Accelerations and reactions with the given statuses. False if no accelerations obey the laws: a paroxysm.
static bool accelerate(const MrnEpisodes *e, const Place *place, double *acceleration, double reaction[MAX][2]) {
    int n = place->n, count = 0;
    Unknown unknown[4 * MAX];
    double force[4 * MAX][MAX], response[4 * MAX][MAX], free[MAX];
    for (int c = 0; c < e->system->contacts; c++) {
        const MrnEpisodeContact *contact = &place->contact[c];
        reaction[c][0] = reaction[c][1] = 0;
        if (e->status[c] == MRN_EPISODE_OPEN) continue;
        bool sticks = e->status[c] == MRN_EPISODE_STICK && contact->friction > 0;
        for (int kind = 0; kind < (sticks ? 4 : 1); kind++, count++) {
            unknown[count] = (Unknown){c, kind};
            for (int k = 0; k < n; k++) {
                double normal = contact->row[0][k], along = contact->row[1][k];
                if (kind == 0)
                    force[count][k] =
                        e->status[c] == MRN_EPISODE_SLIP ? normal - contact->friction * e->sense[c] * along : normal;
                else
                    force[count][k] = kind == 1 ? along : kind == 2 ? -along : 0;
            }
            times_inverse(place, force[count], response[count]);
        }
    }
    times_inverse(place, place->F, free);
    memcpy(acceleration, free, sizeof free);
    if (count == 0) return true;
    MrnLcp *lcp = mrn_lcp_new_dense((size_t)count);
    for (int i = 0; i < count; i++) {
        const MrnEpisodeContact *contact = &place->contact[unknown[i].contact];
        int kind = unknown[i].kind;
        double sign = kind == 2 ? -1 : 1;
        const double *row = contact->row[kind == 0 ? 0 : 1];
        if (kind < 3) lcp->vector[i] = sign * (dot(n, row, free) + contact->bend[kind == 0 ? 0 : 1]);
        for (int j = 0; j < count; j++) {
            bool same = unknown[j].contact == unknown[i].contact;
            double entry = kind < 3 ? sign * dot(n, row, response[j]) : 0;
            if (same && (kind == 1 || kind == 2) && unknown[j].kind == 3) entry += 1;
            if (same && kind == 3) entry = unknown[j].kind == 0 ? contact->friction : unknown[j].kind == 3 ? 0 : -1;
            lcp->dense[i * count + j] = entry;
        }
    }
    double z[4 * MAX] = {0}, w[4 * MAX];
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.tolerance = 1e-11;
    MrnLcpInfo info;
    MrnError error = {0};
    bool solved = mrn_lcp_solve(lcp, &settings, &(MrnLcpSolution){z, w}, &info, &error) && info.status == MRN_SOLVED;
    mrn_lcp_free(lcp);
    for (int i = 0; i < count && solved; i++) {
        int c = unknown[i].contact, kind = unknown[i].kind;
        if (kind == 0) reaction[c][0] = z[i];
        if (kind == 0 && e->status[c] == MRN_EPISODE_SLIP)
            reaction[c][1] -= place->contact[c].friction * e->sense[c] * z[i];
        if (kind == 1 || kind == 2) reaction[c][1] += kind == 1 ? z[i] : -z[i];
        for (int k = 0; k < n; k++) acceleration[k] += z[i] * response[i][k];
    }
    return solved;
}

/// A jump of the velocities: the law of collisions over all closed contacts. `time` > 0 is for paroxysms: the impulse
/// of the forces over that time, which goes to zero, starts them.
static bool jump(MrnEpisodes *e, const Place *place, double time, MrnError *error) {
    int n = place->n, list[MAX], count = 0;
    for (int c = 0; c < e->system->contacts; c++)
        if (place->contact[c].gap <= TOUCHING) list[count++] = c;
    double before[MAX], free[MAX], impulse[2 * MAX] = {0}, u[2 * MAX], response[MAX][2][MAX];
    memcpy(before, e->v, sizeof before);
    times_inverse(place, place->F, free);
    MrnProblem *problem = mrn_problem_new(2, (size_t)count);
    MrnBlockMatrix *W = problem->delassus = mrn_block_matrix_new((size_t)count, 2, (size_t)(count * count));
    for (int i = 0; i < count; i++) {
        const MrnEpisodeContact *contact = &place->contact[list[i]];
        const double restitution[2] = {contact->normal_restitution, contact->tangential_restitution};
        problem->friction[i] = contact->friction;
        for (int a = 0; a < 2; a++) {
            double old = velocity(place, list[i], a, before);
            problem->free_velocity[2 * i + a] =
                time > 0 ? old + time * (dot(n, contact->row[a], free) + contact->bend[a]) : (1 + restitution[a]) * old;
            times_inverse(place, contact->row[a], response[i][a]);
        }
        W->start[i + 1] = (size_t)((i + 1) * count);
        for (int j = 0; j < count; j++) W->column[i * count + j] = j;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    W->value[4 * (i * count + j) + 2 * a + b] = dot(n, place->contact[list[i]].row[a], response[j][b]);
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.tolerance = 1e-12;
    MrnSolveInfo info = {0};
    bool done = count == 0 || mrn_solve(problem, &settings, impulse, u, &info, error);
    mrn_problem_free(problem);
    if (!done) return false;
    if (count && info.status != MRN_SOLVED)
        return mrn_fail(error, MRN_ERROR_INPUT, "the collision at t = %g s was solved to %g only", e->time,
                        info.scaled_residual);
    memset(e->percussion, 0, sizeof e->percussion);
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 2; a++) {
            e->percussion[list[i]][a] = impulse[2 * i + a];
            for (int k = 0; k < n; k++) e->v[k] += impulse[2 * i + a] * response[i][a][k];
        }
    for (int c = 0; c < e->system->contacts; c++) {
        double normal = velocity(place, c, 0, e->v), along = velocity(place, c, 1, e->v);
        bool closed = place->contact[c].gap <= TOUCHING && normal <= TOUCHING;
        e->status[c] = !closed ? MRN_EPISODE_OPEN : fabs(along) > TOUCHING ? MRN_EPISODE_SLIP : MRN_EPISODE_STICK;
        e->sense[c] = along > 0 ? 1 : -1;
    }
    return true;
}

/// What happens at once in this configuration? The first of release, begin of sliding, impact; or nothing.
static MrnEventKind due(const MrnEpisodes *e, const Place *place, const double *v, const double *acceleration,
                        const MrnEpisodes *begin, int *contact) {
    for (int c = 0; c < e->system->contacts; c++) {
        const MrnEpisodeContact *at = &place->contact[c];
        *contact = c;
        if (e->status[c] == MRN_EPISODE_OPEN) {
            if (at->gap < (begin ? 0 : -TOUCHING) && velocity(place, c, 0, v) < -TOUCHING) return MRN_EVENT_IMPACT;
            continue;
        }
        if (dot(place->n, at->row[0], acceleration) + at->bend[0] > STILL) return MRN_EVENT_RELEASE;
        if (e->status[c] == MRN_EPISODE_SLIP) {
            if (begin && at->friction > 0 && velocity(place, c, 1, v) * e->sense[c] < 0) return MRN_EVENT_STICK;
        } else if (fabs(dot(place->n, at->row[1], acceleration) + at->bend[1]) > STILL)
            return MRN_EVENT_SLIP;
    }
    return MRN_EVENT_NONE;
}

/// Change the status of a contact.
static void change(MrnEpisodes *e, const Place *place, MrnEventKind kind, int c, const double *acceleration) {
    if (kind == MRN_EVENT_RELEASE) e->status[c] = MRN_EPISODE_OPEN;
    if (kind == MRN_EVENT_STICK) e->status[c] = MRN_EPISODE_STICK;
    if (kind == MRN_EVENT_SLIP) {
        const MrnEpisodeContact *at = &place->contact[c];
        e->status[c] = MRN_EPISODE_SLIP;
        e->sense[c] = dot(place->n, at->row[1], acceleration) + at->bend[1] > 0 ? 1 : -1;
    }
}

/// Bring statuses in line with the accelerations here; a paroxysm is carried out.
static bool settle(MrnEpisodes *e, MrnError *error) {
    for (int turn = 0; turn < 20 * (1 + e->system->contacts); turn++) {
        Place place;
        look(e->system, e->time, e->q, e->v, &place);
        int c = 0;
        if (!accelerate(e, &place, e->acceleration, e->reaction)) {
            if (!jump(e, &place, 1e-9, error)) return false;
            e->event = MRN_EVENT_PAROXYSM;
            continue;
        }
        MrnEventKind kind = due(e, &place, e->v, e->acceleration, NULL, &c);
        if (kind == MRN_EVENT_NONE) return true;
        e->event = kind, e->event_contact = c;
        if (kind == MRN_EVENT_IMPACT) {
            if (!jump(e, &place, 0, error)) return false;
        } else
            change(e, &place, kind, c, e->acceleration);
    }
    return mrn_fail(error, MRN_ERROR_INPUT, "the contacts at t = %g s do not settle", e->time);
}

bool mrn_episodes_start(MrnEpisodes *e, const MrnEpisodeSystem *system, const double *q, const double *v,
                        MrnError *error) {
    *e = (MrnEpisodes){.system = system};
    if (system->coordinates < 1 || system->coordinates > MAX || system->contacts < 0 || system->contacts > MAX)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "the event-driven method takes 1 to %d coordinates and at most %d contacts, not %d and %d", MAX,
                        MAX, system->coordinates, system->contacts);
    memcpy(e->q, q, (size_t)system->coordinates * sizeof *q);
    memcpy(e->v, v, (size_t)system->coordinates * sizeof *v);
    Place place;
    look(system, 0, e->q, e->v, &place);
    return jump(e, &place, 0, error) && settle(e, error);
}

/// Runge-Kutta step of length h with constant statuses; the result replaces q and v.
static bool runge_kutta(const MrnEpisodes *e, double h, double *q, double *v) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    int n = e->system->coordinates;
    double dq[MAX] = {0}, dv[MAX] = {0}, reaction[MAX][2];
    memcpy(q, e->q, sizeof dq), memcpy(v, e->v, sizeof dv);
    for (int stage = 0; stage < 4; stage++) {
        double x[MAX], y[MAX], a[MAX];
        for (int k = 0; k < n; k++) x[k] = e->q[k] + at[stage] * h * dq[k], y[k] = e->v[k] + at[stage] * h * dv[k];
        Place place;
        look(e->system, e->time + at[stage] * h, x, y, &place);
        if (!accelerate(e, &place, a, reaction)) return false;
        for (int k = 0; k < n; k++) {
            dq[k] = y[k], dv[k] = a[k];
            q[k] += weight[stage] * h * y[k], v[k] += weight[stage] * h * a[k];
        }
    }
    return true;
}

/// Has something happened by the end of a step of length h? A step that cannot be made has met a paroxysm.
static MrnEventKind happens(const MrnEpisodes *e, double h, double *q, double *v, int *contact) {
    double a[MAX], reaction[MAX][2];
    Place place;
    if (!runge_kutta(e, h, q, v)) return MRN_EVENT_PAROXYSM;
    look(e->system, e->time + h, q, v, &place);
    if (!accelerate(e, &place, a, reaction)) return MRN_EVENT_PAROXYSM;
    return due(e, &place, v, a, e, contact);
}

bool mrn_episodes_advance(MrnEpisodes *e, double until, double step, MrnError *error) {
    e->event = MRN_EVENT_NONE;
    while (e->time < until) {
        double h = fmin(step, until - e->time), q[MAX], v[MAX];
        int contact = 0;
        MrnEventKind kind = happens(e, h, q, v, &contact);
        if (kind != MRN_EVENT_NONE) {
            double low = 0, high = h;
            for (int k = 0; k < 60 && high - low > 1e-15 * (e->time + high); k++) {
                double middle = 0.5 * (low + high);
                MrnEventKind earlier = happens(e, middle, q, v, &contact);
                if (earlier == MRN_EVENT_NONE)
                    low = middle;
                else
                    high = middle, kind = earlier;
            }
            h = high;
            kind = happens(e, h, q, v, &contact);
            if (kind == MRN_EVENT_PAROXYSM) (void)runge_kutta(e, h = low, q, v);
        }
        memcpy(e->q, q, sizeof e->q);
        memcpy(e->v, v, sizeof e->v);
        e->time += h;
        if (kind == MRN_EVENT_NONE) continue;
        Place place;
        look(e->system, e->time, e->q, e->v, &place);
        if (kind == MRN_EVENT_IMPACT) {
            // Found to rounding: the gap is what the bisection left of it.
            place.contact[contact].gap = 0;
            if (!jump(e, &place, 0, error)) return false;
        } else if (kind == MRN_EVENT_STICK)
            change(e, &place, kind, contact, e->acceleration);
        if (!settle(e, error)) return false;
        e->event = e->event == MRN_EVENT_PAROXYSM ? MRN_EVENT_PAROXYSM : kind;
        e->event_contact = contact;
        return true;
    }
    return settle(e, error);
}
