// Triangle meshes as obstacles: reading them from OBJ and STL text or bytes, and the tree that finds the triangles near
// a box.
//
// What always holds after mrn_mesh_tree_new: indices are in range, no triangle is degenerate, and two triangles that
// share an edge run through it in opposite directions, so that "outside" means the same on both.
#ifndef MRN_GEOM_MESH_H
#define MRN_GEOM_MESH_H

#include "geom/shape.h"

/// Read a mesh into a shape of kind MRN_SHAPE_MESH: vertices and triangles; equal vertices are joined, polygons are cut
/// into triangles and triangles without area are dropped. `name` ends in .obj or .stl (any case) and is quoted in
/// messages with the line.
bool mrn_mesh_read(const char *name, const char *data, size_t size, MrnShape *out, MrnError *error);

/// A node holds the triangles order[first .. first + count) when count > 0; otherwise its children are `first` and
/// `first + 1`.
typedef struct MrnMeshNode {
    double low[3], high[3];
    int first, count;
} MrnMeshNode;

/// An undirected edge of a mesh with its triangles; `right` is -1 on a border (and on an edge of more than two
/// triangles).
typedef struct MrnMeshEdge {
    int from, to; ///< as triangle `left` runs through it
    int left, right;
} MrnMeshEdge;

typedef struct MrnMeshTree {
    int node_count, edge_count;
    MrnMeshNode *nodes;
    int *order;       ///< triangle numbers, by leaf
    MrnVec3 *normals; ///< unit, one per triangle
    MrnMeshEdge *edges;
    int *triangle_edge;    ///< 3 per triangle: edge from vertex i to vertex i + 1
    int *vertex_start;     ///< vertex_count + 1: vertex v has the neighbours vertex_neighbour[vertex_start[v] ..)
    int *vertex_neighbour; ///< the other ends of the edges at a vertex
    bool *vertex_pointed;  ///< some direction leads away from all edges of the vertex: it is not in the middle of a
                           ///< face, a straight edge or a hollow
} MrnMeshTree;

MrnMeshTree *mrn_mesh_tree_new(const MrnShape *mesh, MrnError *error); ///< NULL on error
void mrn_mesh_tree_free(MrnMeshTree *tree);

#endif
