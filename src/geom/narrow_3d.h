// The parts of the narrow phase in space: placed shapes, features, and the functions for each family of pairs.
//
// All geometry of a pair is done in axes parallel to space with the origin at shape B, so that far from the origin no
// digits are lost. A family function gets solid A and shape B in the order of MrnShapeKind; mrn_touch_3d swaps, sorts
// and shifts back.
#ifndef MRN_GEOM_NARROW_3D_H
#define MRN_GEOM_NARROW_3D_H

#include "geom/hull.h"
#include "geom/narrow.h"

/// Features of one shape. The number of a contact is (feature of A) << 32 | feature of B.
enum {
    MRN_FEATURE_VERTEX = 0,
    MRN_FEATURE_EDGE = 1,
    MRN_FEATURE_FACE = 2,
    MRN_FEATURE_RIM = 3, ///< of a cylinder: extreme point of rim 0 (bottom) or 1 (top); 2 + 2 rim + which: where an
                         ///< edge or a rim crosses it
    MRN_FEATURE_RIM_POINT = 4, ///< fixed point 0..3 of the bottom rim, 4..7 of the top rim
    MRN_FEATURE_SIDE = 5,      ///< curved side of a cylinder; wall of a tube or funnel
    MRN_FEATURE_SUPPORT = 6 ///< no single feature: the point nearest to a ball, or the deepest point of a deep overlap
};

static inline uint64_t mrn_feature(int kind_a, int index_a, int kind_b, int index_b) {
    return ((uint64_t)kind_a << 28 | (uint64_t)index_a) << 32 | ((uint64_t)kind_b << 28 | (uint64_t)index_b);
}

/// A pair under work. `shape_pose` of A and B are relative to `origin`.
typedef struct MrnPair {
    const MrnShape *a, *b;
    MrnVec3 at_a, at_b;     ///< shape origins
    MrnMat3 turn_a, turn_b; ///< columns: shape axes in space
    double margin;
    double tolerance; ///< m: features closer than this across the normal count as one, 1e-5 of the smaller shape
    MrnTouches *out;
} MrnPair;

/// Append a contact from the point of A and the point of B on the line along `normal` (B to A); `gap` includes the
/// radii.
static inline void mrn_emit(const MrnPair *pair, MrnVec3 position, MrnVec3 normal, double gap, uint64_t feature) {
    MrnTouch touch = {.position = position, .normal = normal, .gap = gap, .feature = feature};
    mrn_array_push(pair->out, touch);
}
/// The last contact is a sharp vertex of body (0: A, 1: B) over a face of the other.
static inline void mrn_mark_face(const MrnPair *pair, int body) {
    pair->out->data[pair->out->count - 1].carrier = body == 0 ? MRN_NORMAL_OF_B : MRN_NORMAL_OF_A;
}

/// A convex shape as vertices, edges and faces, rounded outwards by `radius`: sphere (one vertex), capsule (one edge),
/// triangle, box, polyhedron.
enum { MRN_CORE_CACHED = 32 };
typedef struct MrnCore {
    int vertex_count, edge_count, face_count;
    const MrnFacets *facets; ///< faces, edges, and normals in the frame of the shape
    const double *vertices;  ///< in the frame of the shape; used when there are more than MRN_CORE_CACHED
    MrnVec3 at;              ///< origin of the shape
    MrnMat3 turn;
    double radius;
    double size;   ///< m, half width; 0 for points, segments and triangles
    double height; ///< cylinder (which has no vertices): half height and radius; 0 otherwise
    double cylinder_radius;
    const double *half; ///< box: its half sides; NULL otherwise
    MrnVec3 cached[MRN_CORE_CACHED];
} MrnCore;

static inline MrnVec3 mrn_core_vertex(const MrnCore *core, int i) {
    if (core->vertex_count <= MRN_CORE_CACHED) return core->cached[i];
    return mrn_add3(core->at, mrn_mat3_times(&core->turn, mrn_load3(core->vertices + 3 * i)));
}
static inline MrnVec3 mrn_core_normal(const MrnCore *core, int face) {
    return mrn_mat3_times(&core->turn, core->facets->normals[face]);
}

/// Fill a core from a sphere, box, capsule, cylinder or polyhedron.
void mrn_core_make(const MrnShape *shape, MrnVec3 at, const MrnMat3 *turn, MrnCore *core);
/// A point inside: the origin of the shape, but for a polyhedron, whose origin may lie anywhere, the mean of its
/// vertices.
MrnVec3 mrn_core_middle(const MrnCore *core);
/// A triangle with the given corners (counter-clockwise from outside) and unit normal.
void mrn_core_triangle(const MrnVec3 corner[3], MrnVec3 normal, MrnCore *core);
/// The point of the core farthest along `direction`; *index is its vertex (0 for cylinders).
MrnVec3 mrn_core_support(const MrnCore *core, MrnVec3 direction, int *index);

/// Rank of a direction among axes that separate equally. It does not depend on which body is A, nor change under small
/// motions.
static inline double mrn_tie_weight(MrnVec3 normal) {
    return fabs(0.81 * normal.x + 0.33 * normal.y + 0.48 * normal.z);
}

/// Closest points of two cores without their radii.
typedef struct MrnClosest {
    double distance;            ///< 0 when the cores overlap
    MrnVec3 normal;             ///< unit, from B to A; meaningless at distance 0
    MrnVec3 a, b;               ///< the closest points
    int count;                  ///< vertices of the simplex, 1..4
    int index_a[4], index_b[4]; ///< supporting vertices
} MrnClosest;
/// Stops early, with distance >= limit (a lower bound), as soon as a plane separates the cores by `limit`.
void mrn_closest(const MrnCore *a, const MrnCore *b, double limit, MrnClosest *closest);
/// Depth and direction of the shortest way out of an overlap, to a relative 1e-9 where surfaces are flat and about 1e-7
/// where they are curved. Returns the depth (>= 0) and the unit normal from B to A.
double mrn_deepest(const MrnCore *a, const MrnCore *b, MrnVec3 *normal);

/// Pairs of cores with vertices: separating axes, then every pair of features near the best direction.
void mrn_touch_cores(const MrnPair *pair, const MrnCore *a, const MrnCore *b);
/// Append the feature pairs whose normals are within five degrees of `normal` (B to A). With `corners`, also vertices
/// against edges: they bear only where the shapes are apart. Returns the smallest gap appended, INFINITY if none.
double mrn_gather_cores(const MrnPair *pair, const MrnCore *a, const MrnCore *b, MrnVec3 normal, bool corners);
/// Append the contact of the closest points themselves.
void mrn_emit_closest(const MrnPair *pair, const MrnCore *a, const MrnCore *b, const MrnClosest *closest);
/// Is a point over the polygon of a face, or outside by no more than the tolerance?
bool mrn_over_face(const MrnCore *core, int face, MrnVec3 point, double tolerance);
/// The face of a core that looks most along `direction`, and the cosine; -1 if it has none.
int mrn_facing(const MrnCore *core, MrnVec3 direction, double *cosine);

/// Does no edge at vertex v climb along `direction` more steeply than `slope`?
bool mrn_is_summit(const MrnCore *core, int v, MrnVec3 direction, double slope);
/// Contacts [begin, middle) are points of B on faces of A, those from `middle` on points of A on faces of B. Where two
/// are the same place, keep one contact named by the two points.
void mrn_join_points(const MrnPair *pair, size_t begin, size_t middle);

/// Is a contact among those from `begin` on at this place, with nearly this normal? Then one more on a neighbouring
/// feature adds nothing.
bool mrn_is_known(const MrnPair *pair, size_t begin, MrnVec3 position, MrnVec3 normal);
/// Sort the contacts from `begin` on by feature number; of two with one number keep the nearer.
void mrn_put_in_order(MrnTouches *touches, size_t begin);

/// An edge that may bear.
typedef struct MrnSide {
    int index;
    MrnVec3 from, to, along; ///< along is unit
    double length;
    MrnVec3 inner[2]; ///< in the two faces, across the edge, unit; zero where there is no face
} MrnSide;
enum { MRN_SIDE_BLOCK = 48 };
/// Edges of a core, from number *next on, that may bear in a contact along `out` and reach higher than `limit` along
/// it. Fills at most MRN_SIDE_BLOCK and returns how many; *next is where to go on.
int mrn_list_sides(const MrnCore *core, MrnVec3 out, double limit, int *next, MrnSide *side);

/// Cosine and sine of the five degrees within which two faces count as lying on each other.
#define MRN_NEAR_COSINE 0.9961946980917455
#define MRN_NEAR_SINE   0.08715574274765817

/// Pairs of a cylinder (body 0 = A or 1 = B) with a core; gather as above.
double mrn_gather_cylinder(const MrnPair *pair, const MrnCore *cylinder, const MrnCore *other, int body, MrnVec3 normal,
                           bool corners);
double mrn_gather_cylinders(const MrnPair *pair, const MrnCore *a, const MrnCore *b, MrnVec3 normal);
/// Contacts of cylinder A with a plane.
void mrn_cylinder_on_plane(const MrnPair *pair, const MrnCore *a, MrnVec3 normal, double level);
void mrn_touch_cylinder_core(const MrnPair *pair, const MrnCore *a, const MrnCore *b); ///< at least one is a cylinder
void mrn_touch_hollow(const MrnPair *pair);                                            ///< B a tube or a funnel
void mrn_touch_mesh(const MrnPair *pair);                                              ///< B a mesh

#endif
