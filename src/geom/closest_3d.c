// Distance between two convex cores (Gilbert, Johnson, Keerthi 1988) and depth of their overlap (van den Bergen 2001,
// expanding polytope).
//
// Both work on the difference set A - B through support points alone. Everything is on the stack.
#include "geom/narrow_3d.h"

#include <float.h>

typedef struct Support {
    MrnVec3 w, a, b; ///< w = a - b
    int index_a, index_b;
} Support;

static Support support(const MrnCore *a, const MrnCore *b, MrnVec3 direction) {
    Support s;
    s.a = mrn_core_support(a, direction, &s.index_a);
    s.b = mrn_core_support(b, mrn_scale3(-1, direction), &s.index_b);
    s.w = mrn_sub3(s.a, s.b);
    return s;
}

typedef struct Simplex {
    Support point[4];
    double weight[4];
    int count;
} Simplex;

static void keep(Simplex *s, const int *which, const double *weight, int count) {
    Support kept[4];
    for (int i = 0; i < count; i++) kept[i] = s->point[which[i]];
    for (int i = 0; i < count; i++) s->point[i] = kept[i], s->weight[i] = weight[i];
    s->count = count;
}

/// Closest point to the origin on the segment (i, j): weights.
static double on_segment(const Simplex *s, int i, int j, double weight[2]) {
    MrnVec3 a = s->point[i].w, e = mrn_sub3(s->point[j].w, a);
    double ee = mrn_dot3(e, e), t = ee > 0 ? -mrn_dot3(a, e) / ee : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    weight[0] = 1 - t, weight[1] = t;
    MrnVec3 v = mrn_axpy3(a, t, e);
    return mrn_dot3(v, v);
}

/// Closest point on the triangle (i, j, k): weights. Returns the squared distance; falls back to its sides when the
/// foot lies outside.
static double on_triangle(const Simplex *s, int i, int j, int k, double weight[3]) {
    MrnVec3 a = s->point[i].w, b = s->point[j].w, c = s->point[k].w;
    MrnVec3 n = mrn_cross3(mrn_sub3(b, a), mrn_sub3(c, a));
    double nn = mrn_dot3(n, n);
    if (nn > 0) {
        double wa = mrn_dot3(n, mrn_cross3(b, c)), wb = mrn_dot3(n, mrn_cross3(c, a)),
               wc = mrn_dot3(n, mrn_cross3(a, b));
        if (wa > 0 && wb > 0 && wc > 0) {
            double sum = wa + wb + wc;
            weight[0] = wa / sum, weight[1] = wb / sum, weight[2] = wc / sum;
            double height = mrn_dot3(n, a);
            return height * height / nn;
        }
    }
    double best = INFINITY;
    const int side[3][2] = {{0, 1}, {1, 2}, {2, 0}}, number[3] = {i, j, k};
    for (int e = 0; e < 3; e++) {
        double two[2], distance = on_segment(s, number[side[e][0]], number[side[e][1]], two);
        if (distance < best) {
            best = distance;
            weight[0] = weight[1] = weight[2] = 0;
            weight[side[e][0]] = two[0], weight[side[e][1]] = two[1];
        }
    }
    return best;
}

/// Reduce the simplex to the part that carries its closest point to the origin. True when it holds the origin.
static bool reduce(Simplex *s) {
    int which[4];
    double weight[4] = {1, 0, 0, 0}, kept[4];
    int n = s->count;
    if (n == 2)
        on_segment(s, 0, 1, weight);
    else if (n == 3)
        on_triangle(s, 0, 1, 2, weight);
    else if (n == 4) {
        static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
        double best = INFINITY;
        bool outside = false;
        for (int f = 0; f < 4; f++) {
            MrnVec3 a = s->point[face[f][0]].w, b = s->point[face[f][1]].w, c = s->point[face[f][2]].w,
                    d = s->point[face[f][3]].w;
            MrnVec3 normal = mrn_cross3(mrn_sub3(b, a), mrn_sub3(c, a));
            double own = mrn_dot3(normal, mrn_sub3(d, a)), origin = -mrn_dot3(normal, a);
            // The origin is on the inner side of this face. A flat tetrahedron has no inner side that rounding would
            // not turn.
            if (own * origin > 0 && fabs(own) > 1e-10 * mrn_norm3(normal) * (mrn_norm3(a) + mrn_norm3(d))) continue;
            outside = true;
            double three[3], distance = on_triangle(s, face[f][0], face[f][1], face[f][2], three);
            if (distance < best) {
                best = distance;
                weight[0] = weight[1] = weight[2] = weight[3] = 0;
                for (int i = 0; i < 3; i++) weight[face[f][i]] = three[i];
            }
        }
        if (!outside) return true;
    }
    int count = 0;
    for (int i = 0; i < n; i++)
        if (weight[i] > 0) which[count] = i, kept[count++] = weight[i];
    keep(s, which, kept, count);
    return false;
}

static MrnVec3 combine(const Simplex *s, int which) {
    MrnVec3 sum = {0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        const Support *p = &s->point[i];
        sum = mrn_axpy3(sum, s->weight[i], which == 0 ? p->w : which == 1 ? p->a : p->b);
    }
    return sum;
}

void mrn_closest(const MrnCore *a, const MrnCore *b, double limit, MrnClosest *closest) {
    Simplex s = {.count = 1, .weight = {1}};
    MrnVec3 direction = mrn_sub3(b->at, a->at);
    if (mrn_dot3(direction, direction) == 0) direction.x = 1;
    s.point[0] = support(a, b, direction);
    bool curved = a->height > 0 || b->height > 0;
    MrnVec3 v = s.point[0].w;
    double scale = mrn_norm3(v), previous = INFINITY;
    bool inside = false;
    for (int iteration = 0; iteration < 200; iteration++) {
        double vv = mrn_dot3(v, v);
        scale = fmax(scale, sqrt(vv));
        if (vv <= 1e-28 * scale * scale) {
            inside = true;
            break;
        }
        Support next = support(a, b, mrn_scale3(-1, v));
        for (int k = 0; k < 3; k++) scale = fmax(scale, fabs((&next.w.x)[k]));
        double bound = mrn_dot3(v, next.w) / sqrt(vv);
        if (bound >= limit) {
            *closest = (MrnClosest){.distance = bound, .normal = mrn_scale3(1 / sqrt(vv), v)};
            return;
        }
        if (vv - mrn_dot3(v, next.w) <= (curved ? 1e-15 : 1e-14) * vv + 4 * DBL_EPSILON * scale * sqrt(vv)) break;
        bool repeated = false;
        for (int i = 0; i < s.count && !curved; i++)
            repeated |= s.point[i].index_a == next.index_a && s.point[i].index_b == next.index_b;
        if (repeated) break;
        Simplex before = s;
        s.point[s.count++] = next;
        if (reduce(&s)) {
            inside = true;
            break;
        }
        v = combine(&s, 0);
        if (!(mrn_dot3(v, v) < vv) && vv >= previous) { // rounding has stopped the descent
            s = before;
            break;
        }
        previous = vv;
    }
    closest->count = s.count;
    for (int i = 0; i < s.count; i++)
        closest->index_a[i] = s.point[i].index_a, closest->index_b[i] = s.point[i].index_b;
    v = combine(&s, 0);
    closest->a = combine(&s, 1), closest->b = combine(&s, 2);
    closest->distance = inside ? 0 : mrn_norm3(v);
    if (closest->distance > 0)
        closest->normal = mrn_scale3(1 / closest->distance, v);
    else
        closest->normal = mrn_vec3(0, 0, 1);
}

// ------------------------------------------------------------------------------------------------------- expanding
// polytope

enum { MAX_POINTS = 256, MAX_FACES = 2 * MAX_POINTS };

typedef struct PolytopeFace {
    int v[3];
    MrnVec3 normal; ///< unit, away from the origin
    double distance;
    bool alive;
} PolytopeFace;

typedef struct Polytope {
    MrnVec3 point[MAX_POINTS];
    PolytopeFace face[MAX_FACES];
    int points, faces;
} Polytope;

/// A face without area has no direction: it stays to close the surface but is never the nearest. False when there is no
/// room.
static bool add_face(Polytope *p, int i, int j, int k) {
    PolytopeFace f = {.v = {i, j, k}, .alive = true};
    MrnVec3 u = mrn_sub3(p->point[j], p->point[i]), w = mrn_sub3(p->point[k], p->point[i]);
    f.normal = mrn_cross3(u, w);
    double area = mrn_norm3(f.normal);
    bool flat = !(area > 1e-14 * (mrn_dot3(u, u) + mrn_dot3(w, w)));
    f.normal = flat ? mrn_vec3(0, 0, 0) : mrn_scale3(1 / area, f.normal);
    f.distance = flat ? INFINITY : mrn_dot3(f.normal, p->point[i]);
    // Take over the place of a dead face.
    for (int n = 0; n < p->faces; n++)
        if (!p->face[n].alive) {
            p->face[n] = f;
            return true;
        }
    if (p->faces == MAX_FACES) return false;
    p->face[p->faces++] = f;
    return true;
}

static bool first_tetrahedron(const MrnCore *a, const MrnCore *b, Polytope *p) {
    static const MrnVec3 axis[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    MrnVec3 found[6];
    double scale = 0;
    for (int i = 0; i < 6; i++) found[i] = support(a, b, axis[i]).w, scale = fmax(scale, mrn_norm3(found[i]));
    int far = 1;
    for (int i = 1; i < 6; i++)
        if (mrn_norm3(mrn_sub3(found[i], found[0])) > mrn_norm3(mrn_sub3(found[far], found[0]))) far = i;
    p->point[0] = found[0], p->point[1] = found[far];
    MrnVec3 e = mrn_sub3(p->point[1], p->point[0]), t1, t2;
    if (!(mrn_norm3(e) > 1e-9 * scale)) return false;
    mrn_tangents3(mrn_normalize3(e), &t1, &t2);
    double best = 0;
    for (int i = 0; i < 4; i++) {
        MrnVec3 d = i < 2 ? t1 : t2, w = support(a, b, i & 1 ? mrn_scale3(-1, d) : d).w;
        double size = mrn_norm3(mrn_cross3(e, mrn_sub3(w, p->point[0])));
        if (size > best) best = size, p->point[2] = w;
    }
    if (!(best > 1e-9 * scale * scale)) return false;
    MrnVec3 n = mrn_cross3(e, mrn_sub3(p->point[2], p->point[0]));
    MrnVec3 up = support(a, b, n).w, down = support(a, b, mrn_scale3(-1, n)).w;
    // Both sides: a double pyramid surely grows around the origin.
    double height_up = mrn_dot3(n, mrn_sub3(up, p->point[0])), height_down = -mrn_dot3(n, mrn_sub3(down, p->point[0]));
    p->points = 3;
    double least = 1e-9 * scale * mrn_norm3(n);
    if (height_up > least) p->point[p->points++] = up;
    int top = height_up > least ? 3 : -1, bottom = -1;
    if (height_down > least) bottom = p->points, p->point[p->points++] = down;
    if (top < 0 && bottom < 0) return false;
    bool good = true;
    if (top >= 0)
        good = good && add_face(p, 0, 1, top) && add_face(p, 1, 2, top) && add_face(p, 2, 0, top);
    else
        good = good && add_face(p, 0, 1, 2);
    if (bottom >= 0)
        good = good && add_face(p, 1, 0, bottom) && add_face(p, 2, 1, bottom) && add_face(p, 0, 2, bottom);
    else
        good = good && add_face(p, 0, 2, 1);
    return good;
}

double mrn_deepest(const MrnCore *a, const MrnCore *b, MrnVec3 *normal) {
    Polytope p = {.points = 0};
    double depth = INFINITY;
    MrnVec3 way = {0, 0, 1};
    if (!first_tetrahedron(a, b, &p)) {
        *normal = way;
        return 0;
    }
    for (int iteration = 0; p.points < MAX_POINTS && iteration < MAX_POINTS; iteration++) {
        int nearest = -1;
        for (int f = 0; f < p.faces; f++)
            if (p.face[f].alive && (nearest < 0 || p.face[f].distance < p.face[nearest].distance)) nearest = f;
        if (nearest < 0) break;
        MrnVec3 n = p.face[nearest].normal;
        MrnVec3 w = support(a, b, n).w;
        double reach = mrn_dot3(n, w);
        if (reach < depth) depth = reach, way = n; // any direction gives a bound; keep the best
        if (reach - p.face[nearest].distance <= 1e-10 * fabs(reach) + 1e-12 * mrn_norm3(w) ||
            p.face[nearest].distance >= depth)
            break;
        int sides[MAX_FACES][2], count = 0;
        for (int f = 0; f < p.faces; f++) {
            PolytopeFace *face = &p.face[f];
            if (!face->alive || mrn_dot3(face->normal, w) - face->distance <= 1e-13 * mrn_norm3(w)) continue;
            face->alive = false;
            for (int k = 0; k < 3; k++) {
                int from = face->v[k], to = face->v[(k + 1) % 3], found = -1;
                for (int i = 0; i < count; i++)
                    if (sides[i][0] == to && sides[i][1] == from) found = i;
                if (found >= 0)
                    sides[found][0] = sides[count - 1][0], sides[found][1] = sides[count - 1][1], count--;
                else if (count < MAX_FACES)
                    sides[count][0] = from, sides[count][1] = to, count++;
            }
        }
        if (count == 0) break;
        p.point[p.points] = w;
        bool good = true;
        for (int i = 0; i < count && good; i++) good = add_face(&p, sides[i][0], sides[i][1], p.points);
        p.points++;
        if (!good) break;
    }
    *normal = mrn_scale3(-1, way);
    return depth;
}
