// Triangle meshes: reading OBJ and STL, adjacency, and a tree of boxes split at the median of the longest side.
#include "geom/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- reading

typedef struct Reader {
    const char *name, *at, *end;
    size_t line; ///< of the line just taken, from 1
    MrnError *error;
    MRN_ARRAY(double) vertices;
    MRN_ARRAY(int) corners; ///< 3 per triangle
} Reader;

/// Take the next line (without its end) into begin .. stop. A line of only blanks counts.
static bool next_line(Reader *in, const char **begin, const char **stop) {
    if (in->at >= in->end) return false;
    *begin = in->at;
    const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
    *stop = newline ? newline : in->end;
    in->at = newline ? newline + 1 : in->end;
    if (*stop > *begin && (*stop)[-1] == '\r') --*stop;
    in->line++;
    return true;
}

/// Take the next word of a line; an empty word at its end.
static size_t next_word(const char **at, const char *stop, const char **word) {
    while (*at < stop && isspace((unsigned char)**at)) ++*at;
    *word = *at;
    while (*at < stop && !isspace((unsigned char)**at)) ++*at;
    return (size_t)(*at - *word);
}

static bool same_word(const char *word, size_t length, const char *wanted) {
    if (strlen(wanted) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)word[i]) != wanted[i]) return false;
    return true;
}

static bool read_numbers(Reader *in, const char **at, const char *stop, int count, double *out) {
    for (int i = 0; i < count; i++) {
        const char *word;
        size_t length = next_word(at, stop, &word);
        char text[64], *end;
        if (length == 0)
            return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: expected %d numbers, found %d", in->name, in->line,
                            count, i);
        bool fits = length < sizeof text;
        if (fits) {
            memcpy(text, word, length);
            text[length] = 0;
            out[i] = strtod(text, &end);
        }
        if (!fits || *end || !isfinite(out[i]))
            return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: '%.*s' is not a finite number", in->name, in->line,
                            (int)(length < 40 ? length : 40), word);
    }
    return true;
}

static bool add_corner(Reader *in, long vertex) {
    if (in->vertices.count / 3 > INT32_MAX / 4)
        return mrn_fail(in->error, MRN_ERROR_INPUT, "%s: the mesh has too many vertices", in->name);
    mrn_array_push(&in->corners, (int)vertex);
    return true;
}

/// Wavefront OBJ: lines v and f; everything else (normals, textures, groups, materials) is passed over.
static bool read_obj(Reader *in) {
    const char *at, *stop, *word;
    struct {
        size_t line, corner;
        long vertex;
    } highest = {0, 0, -1};
    while (next_line(in, &at, &stop)) {
        size_t length = next_word(&at, stop, &word);
        if (same_word(word, length, "v")) {
            double point[3];
            if (!read_numbers(in, &at, stop, 3, point)) return false;
            for (int i = 0; i < 3; i++) mrn_array_push(&in->vertices, point[i]);
        } else if (same_word(word, length, "f")) {
            long first = 0, previous = 0, known = (long)(in->vertices.count / 3);
            int corners = 0;
            while ((length = next_word(&at, stop, &word)) > 0) {
                char text[32], *end;
                size_t digits = 0;
                while (digits < length && word[digits] != '/') digits++;
                long vertex = 0;
                bool good = digits > 0 && digits < sizeof text;
                if (good) {
                    memcpy(text, word, digits);
                    text[digits] = 0;
                    errno = 0;
                    vertex = strtol(text, &end, 10);
                    good = !*end && !errno && vertex != 0;
                }
                if (!good)
                    return mrn_fail(in->error, MRN_ERROR_INPUT,
                                    "%s:%zu: '%.*s' is not a vertex number (they count from 1, or from -1 backwards)",
                                    in->name, in->line, (int)(length < 40 ? length : 40), word);
                if (vertex < 0 && -vertex > known)
                    return mrn_fail(in->error, MRN_ERROR_INPUT,
                                    "%s:%zu: vertex %ld is out of range: %ld vertices so far", in->name, in->line,
                                    vertex, known);
                long index = vertex > 0 ? vertex - 1 : known + vertex;
                if (index > highest.vertex) highest.vertex = index, highest.line = in->line;
                if (index > INT32_MAX / 4)
                    return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: vertex %ld is out of range", in->name,
                                    in->line, vertex);
                if (corners == 0)
                    first = index;
                else if (corners > 1 && !(add_corner(in, first) && add_corner(in, previous) && add_corner(in, index)))
                    return false;
                previous = index;
                corners++;
            }
            if (corners < 3)
                return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: a face needs at least 3 vertices, found %d",
                                in->name, in->line, corners);
        }
    }
    if (highest.vertex >= (long)(in->vertices.count / 3))
        return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: vertex %ld is out of range: the file has %zu vertices",
                        in->name, highest.line, highest.vertex + 1, in->vertices.count / 3);
    return true;
}

static bool expect(Reader *in, const char *word, size_t length, const char *wanted) {
    if (same_word(word, length, wanted)) return true;
    return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: expected '%s', found '%.*s'", in->name, in->line, wanted,
                    (int)(length < 40 ? length : 40), word);
}

/// The next line that is not blank, and its first word. False at the end of the file.
static bool next_statement(Reader *in, const char **at, const char **stop, const char **word, size_t *length) {
    while (next_line(in, at, stop)) {
        *length = next_word(at, *stop, word);
        if (*length) return true;
    }
    return false;
}

static bool read_stl_text(Reader *in) {
    const char *at, *stop, *word;
    size_t length;
    if (!next_statement(in, &at, &stop, &word, &length) || !expect(in, word, length, "solid")) return false;
    static const char *const order[] = {"outer", "vertex", "vertex", "vertex", "endloop", "endfacet"};
    while (next_statement(in, &at, &stop, &word, &length)) {
        if (same_word(word, length, "endsolid")) {
            if (!next_statement(in, &at, &stop, &word, &length)) return true;
            if (!expect(in, word, length, "solid")) return false; // a file may hold several solids
            continue;
        }
        if (!expect(in, word, length, "facet")) return false;
        for (int i = 0; i < 6; i++) {
            if (!next_statement(in, &at, &stop, &word, &length))
                return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: the file ends inside a facet: expected '%s'",
                                in->name, in->line, order[i]);
            if (!expect(in, word, length, order[i])) return false;
            if (i < 1 || i > 3) continue;
            double point[3];
            if (!read_numbers(in, &at, stop, 3, point)) return false;
            if (!add_corner(in, (long)(in->vertices.count / 3))) return false;
            for (int k = 0; k < 3; k++) mrn_array_push(&in->vertices, point[k]);
        }
    }
    return mrn_fail(in->error, MRN_ERROR_INPUT, "%s:%zu: the file ends without 'endsolid'", in->name, in->line);
}

static uint32_t little_endian(const char *data) {
    const unsigned char *b = (const unsigned char *)data;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool read_stl_bytes(Reader *in, const char *data, size_t size) {
    if (size < 84)
        return mrn_fail(in->error, MRN_ERROR_INPUT, "%s: a binary STL file has at least 84 bytes, this one has %zu",
                        in->name, size);
    uint64_t count = little_endian(data + 80), wanted = 84 + 50 * count;
    if (size < wanted)
        return mrn_fail(in->error, MRN_ERROR_INPUT, "%s: truncated: %llu triangles need %llu bytes, the file has %zu",
                        in->name, (unsigned long long)count, (unsigned long long)wanted, size);
    for (uint64_t t = 0; t < count; t++)
        for (int i = 0; i < 9; i++) {
            uint32_t bits = little_endian(data + 84 + 50 * t + 12 + 4 * (size_t)i);
            float value;
            memcpy(&value, &bits, 4);
            if (!isfinite(value))
                return mrn_fail(in->error, MRN_ERROR_INPUT, "%s: triangle %llu has a corner that is not finite",
                                in->name, (unsigned long long)t);
            if (i % 3 == 0 && !add_corner(in, (long)(in->vertices.count / 3))) return false;
            mrn_array_push(&in->vertices, (double)value);
        }
    return true;
}

typedef struct Named {
    double p[3];
    int index;
} Named;

static int compare_named(const void *left, const void *right) {
    const Named *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a->p[i] != b->p[i]) return a->p[i] < b->p[i] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/// Join equal vertices, keeping the order of first use, and drop triangles without area.
static void join_vertices(Reader *in, MrnShape *out) {
    size_t count = in->vertices.count / 3, triangles = in->corners.count / 3;
    Named *named = mrn_alloc(count, sizeof *named);
    int *same = mrn_alloc(count, sizeof *same), *renumbered = mrn_alloc(count, sizeof *renumbered);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            named[i].p[k] = in->vertices.data[3 * i + (size_t)k] + 0.0; // -0 and 0 are the same place
        named[i].index = (int)i;
        renumbered[i] = -1;
    }
    qsort(named, count, sizeof *named, compare_named);
    for (size_t i = 0; i < count; i++) {
        bool equal = i > 0;
        for (int k = 0; k < 3 && equal; k++) equal = named[i].p[k] == named[i - 1].p[k];
        same[named[i].index] = equal ? same[named[i - 1].index] : named[i].index;
    }
    out->vertices = mrn_alloc(in->vertices.count, sizeof(double));
    out->face_vertex = mrn_alloc(in->corners.count, sizeof(int));
    for (size_t t = 0; t < triangles; t++) {
        int v[3];
        MrnVec3 p[3];
        for (int k = 0; k < 3; k++)
            v[k] = same[in->corners.data[3 * t + (size_t)k]], p[k] = mrn_load3(in->vertices.data + 3 * (size_t)v[k]);
        MrnVec3 a = mrn_sub3(p[1], p[0]), b = mrn_sub3(p[2], p[0]);
        if (!(mrn_norm3(mrn_cross3(a, b)) > 1e-12 * (mrn_dot3(a, a) + mrn_dot3(b, b)))) continue;
        for (int k = 0; k < 3; k++) {
            if (renumbered[v[k]] < 0) {
                renumbered[v[k]] = (int)out->vertex_count++;
                mrn_store3(out->vertices + 3 * renumbered[v[k]], p[k]);
            }
            out->face_vertex[3 * out->face_count + (size_t)k] = renumbered[v[k]];
        }
        out->face_count++;
    }
    free(named);
    free(same);
    free(renumbered);
}

bool mrn_mesh_read(const char *name, const char *data, size_t size, MrnShape *out, MrnError *error) {
    *out = (MrnShape){.kind = MRN_SHAPE_MESH, .rotation = {1, 0, 0, 0}};
    Reader in = {.name = name, .at = data, .end = data + size, .error = error};
    size_t length = strlen(name);
    const char *dot = length >= 4 ? name + length - 4 : "";
    bool good;
    if (same_word(dot, strlen(dot), ".obj"))
        good = read_obj(&in);
    else if (same_word(dot, strlen(dot), ".stl")) {
        // A binary file may also begin with "solid": it is binary when its size is what its count says.
        bool bytes = size >= 84 && size == 84 + 50 * (uint64_t)little_endian(data + 80);
        const char *at = data, *word;
        size_t first = next_word(&at, data + size, &word);
        bool text = same_word(word, first, "solid");
        good = bytes || !text ? read_stl_bytes(&in, data, size) : read_stl_text(&in);
    } else
        good = mrn_fail(error, MRN_ERROR_INPUT, "%s: a mesh file ends in .obj or .stl", name);
    if (good && in.corners.count == 0) good = mrn_fail(error, MRN_ERROR_INPUT, "%s: the mesh has no triangles", name);
    if (good) {
        join_vertices(&in, out);
        if (out->face_count == 0)
            good = mrn_fail(error, MRN_ERROR_INPUT, "%s: every triangle of the mesh has no area", name);
    }
    if (!good) {
        free(out->vertices);
        free(out->face_vertex);
        *out = (MrnShape){.kind = MRN_SHAPE_MESH, .rotation = {1, 0, 0, 0}};
    }
    mrn_array_free(&in.vertices);
    mrn_array_free(&in.corners);
    return good;
}

// ------------------------------------------------------------------------------------------------------------- the
// tree

static int compare_sides(const void *left, const void *right) {
    const int *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/// Is there a direction with an obtuse angle to every edge of the vertex? Sought by correcting a trial with the edge it
/// fails most (perceptron).
static bool is_pointed(const MrnShape *mesh, const MrnMeshTree *tree, size_t v) {
    MrnVec3 p = mrn_load3(mesh->vertices + 3 * v), away = {0, 0, 0};
    for (int step = 0; step < 200; step++) {
        double worst = -INFINITY, length = mrn_norm3(away);
        MrnVec3 edge = {0, 0, 0};
        for (int i = tree->vertex_start[v]; i < tree->vertex_start[v + 1]; i++) {
            MrnVec3 e = mrn_normalize3(mrn_sub3(mrn_load3(mesh->vertices + 3 * tree->vertex_neighbour[i]), p));
            double value = mrn_dot3(away, e);
            if (value > worst) worst = value, edge = e;
        }
        if (length > 0 && worst < -1e-3 * length) return true;
        away = mrn_sub3(away, edge);
    }
    return false;
}

static bool make_edges(const MrnShape *mesh, MrnMeshTree *tree, MrnError *error) {
    size_t sides = 3 * mesh->face_count;
    int(*side)[3] = mrn_alloc(sides, sizeof *side); // lower vertex, higher vertex, side number
    for (size_t i = 0; i < sides; i++) {
        int v = mesh->face_vertex[i], w = mesh->face_vertex[i % 3 == 2 ? i - 2 : i + 1];
        side[i][0] = v < w ? v : w, side[i][1] = v < w ? w : v, side[i][2] = (int)i;
    }
    qsort(side, sides, sizeof *side, compare_sides);
    tree->edges = mrn_alloc(sides, sizeof *tree->edges);
    tree->triangle_edge = mrn_alloc(sides, sizeof *tree->triangle_edge);
    bool good = true;
    for (size_t i = 0, next; i < sides && good; i = next) {
        for (next = i + 1; next < sides && side[next][0] == side[i][0] && side[next][1] == side[i][1];) next++;
        bool upwards = mesh->face_vertex[side[i][2]] == side[i][0];
        if (next - i == 2 && upwards == (mesh->face_vertex[side[i + 1][2]] == side[i][0]))
            good =
                mrn_fail(error, MRN_ERROR_INPUT, "triangles %d and %d of the mesh disagree about which side is outside",
                         side[i][2] / 3, side[i + 1][2] / 3);
        // Two triangles make an inner edge; one, or more than two, are borders of their own.
        size_t step = next - i == 2 ? 2 : 1;
        for (size_t k = i; k < next; k += step) {
            int s = side[k][2], from = mesh->face_vertex[s];
            tree->edges[tree->edge_count] =
                (MrnMeshEdge){from, side[k][0] + side[k][1] - from, s / 3, step == 2 ? side[k + 1][2] / 3 : -1};
            for (size_t m = k; m < k + step; m++) tree->triangle_edge[side[m][2]] = tree->edge_count;
            tree->edge_count++;
        }
    }
    free(side);
    if (!good) return false;
    tree->vertex_start = mrn_alloc_zero(mesh->vertex_count + 1, sizeof(int));
    tree->vertex_neighbour = mrn_alloc(2 * (size_t)tree->edge_count, sizeof(int));
    for (int e = 0; e < tree->edge_count; e++)
        tree->vertex_start[tree->edges[e].from + 1]++, tree->vertex_start[tree->edges[e].to + 1]++;
    for (size_t v = 0; v < mesh->vertex_count; v++) tree->vertex_start[v + 1] += tree->vertex_start[v];
    int *fill = mrn_alloc(mesh->vertex_count, sizeof *fill);
    memcpy(fill, tree->vertex_start, mesh->vertex_count * sizeof *fill);
    for (int e = 0; e < tree->edge_count; e++) {
        const MrnMeshEdge *edge = &tree->edges[e];
        tree->vertex_neighbour[fill[edge->from]++] = edge->to;
        tree->vertex_neighbour[fill[edge->to]++] = edge->from;
    }
    free(fill);
    tree->vertex_pointed = mrn_alloc(mesh->vertex_count, sizeof(bool));
    for (size_t v = 0; v < mesh->vertex_count; v++) tree->vertex_pointed[v] = is_pointed(mesh, tree, v);
    return true;
}

typedef struct Keyed {
    double key;
    int triangle;
} Keyed;

static int compare_keyed(const void *left, const void *right) {
    const Keyed *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->triangle - b->triangle;
}

/// Fill node `node` with the triangles [begin, end) of `keyed`, splitting where it holds more than four.
static void split_node(const MrnShape *mesh, MrnMeshTree *tree, int node, Keyed *keyed, int begin, int end) {
    MrnMeshNode *n = &tree->nodes[node];
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        n->low[axis] = low[axis] = INFINITY, n->high[axis] = high[axis] = -INFINITY;
        for (int i = begin; i < end; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                double x = mesh->vertices[3 * mesh->face_vertex[3 * keyed[i].triangle + k] + axis];
                n->low[axis] = fmin(n->low[axis], x), n->high[axis] = fmax(n->high[axis], x);
                sum += x;
            }
            low[axis] = fmin(low[axis], sum), high[axis] = fmax(high[axis], sum);
        }
    }
    if (end - begin <= 4) {
        n->first = begin, n->count = end - begin;
        for (int i = begin; i < end; i++) tree->order[i] = keyed[i].triangle;
        return;
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    for (int i = begin; i < end; i++) {
        keyed[i].key = 0;
        for (int k = 0; k < 3; k++)
            keyed[i].key += mesh->vertices[3 * mesh->face_vertex[3 * keyed[i].triangle + k] + axis];
    }
    qsort(keyed + begin, (size_t)(end - begin), sizeof *keyed, compare_keyed);
    int child = tree->node_count, middle = begin + (end - begin) / 2;
    tree->node_count += 2;
    n->first = child, n->count = 0;
    split_node(mesh, tree, child, keyed, begin, middle);
    split_node(mesh, tree, child + 1, keyed, middle, end);
}

static bool check_mesh(const MrnShape *mesh, MrnError *error) {
    if (mesh->face_count == 0 || !mesh->face_vertex)
        return mrn_fail(error, MRN_ERROR_INPUT, "the mesh has no triangles");
    if (mesh->face_count > INT32_MAX / 6 || mesh->vertex_count > INT32_MAX / 6)
        return mrn_fail(error, MRN_ERROR_INPUT, "the mesh is too large: %zu triangles, %zu vertices", mesh->face_count,
                        mesh->vertex_count);
    if (mesh->vertex_count == 0 || !mesh->vertices) return mrn_fail(error, MRN_ERROR_INPUT, "the mesh has no vertices");
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->vertices[i]))
            return mrn_fail(error, MRN_ERROR_INPUT, "vertex %zu of the mesh is not finite: %g", i / 3,
                            mesh->vertices[i]);
    for (size_t i = 0; i < 3 * mesh->face_count; i++)
        if (mesh->face_vertex[i] < 0 || (size_t)mesh->face_vertex[i] >= mesh->vertex_count)
            return mrn_fail(error, MRN_ERROR_INPUT, "triangle %zu of the mesh names vertex %d, but there are %zu",
                            i / 3, mesh->face_vertex[i], mesh->vertex_count);
    return true;
}

MrnMeshTree *mrn_mesh_tree_new(const MrnShape *mesh, MrnError *error) {
    if (!check_mesh(mesh, error)) return NULL;
    MrnMeshTree *tree = mrn_alloc_zero(1, sizeof *tree);
    size_t count = mesh->face_count;
    tree->normals = mrn_alloc(count, sizeof *tree->normals);
    for (size_t t = 0; t < count; t++) {
        MrnVec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = mrn_load3(mesh->vertices + 3 * mesh->face_vertex[3 * t + (size_t)k]);
        MrnVec3 a = mrn_sub3(p[1], p[0]), b = mrn_sub3(p[2], p[0]), normal = mrn_cross3(a, b);
        double area = mrn_norm3(normal);
        if (!(area > 1e-12 * (mrn_dot3(a, a) + mrn_dot3(b, b)))) {
            mrn_fail(error, MRN_ERROR_INPUT, "triangle %zu of the mesh has no area", t);
            mrn_mesh_tree_free(tree);
            return NULL;
        }
        tree->normals[t] = mrn_scale3(1 / area, normal);
    }
    if (!make_edges(mesh, tree, error)) {
        mrn_mesh_tree_free(tree);
        return NULL;
    }
    tree->nodes = mrn_alloc(2 * count, sizeof *tree->nodes);
    tree->order = mrn_alloc(count, sizeof *tree->order);
    Keyed *keyed = mrn_alloc(count, sizeof *keyed);
    for (size_t t = 0; t < count; t++) keyed[t] = (Keyed){0, (int)t};
    tree->node_count = 1;
    split_node(mesh, tree, 0, keyed, 0, (int)count);
    free(keyed);
    return tree;
}

void mrn_mesh_tree_free(MrnMeshTree *tree) {
    if (!tree) return;
    free(tree->nodes);
    free(tree->order);
    free(tree->normals);
    free(tree->edges);
    free(tree->triangle_edge);
    free(tree->vertex_start);
    free(tree->vertex_neighbour);
    free(tree->vertex_pointed);
    free(tree);
}
