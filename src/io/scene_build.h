// From the structs of the schema to a model: what the parts of the builder share.
#ifndef MRN_IO_SCENE_BUILD_H
#define MRN_IO_SCENE_BUILD_H

#include "io/schema.h"
#include "model/model.h"
#include <moraine/scene.h>

/// Scenes with more bodies are refused: 2e7. Tests lower it.
extern size_t mrn_scene_max_bodies;

typedef struct MrnSceneBuilder {
    const MrnRootSpec *root;
    MrnScene *scene;
    MrnModel *model;
    MrnError *error;
    int dimension;
    const char *directory;     ///< where files named by the scene are looked for, with a final slash, or ""
    const MrnSceneFile *given; ///< files that are used before the disk
    size_t given_count;
    MRN_ARRAY(int) name_table; ///< open addressing: 1 + body index, by hash of the name
    size_t name_count;
} MrnSceneBuilder;

/// Contents of a file that the scene names in field `key` of the section at `node`; kept in MrnScene.files. NULL with
/// an error.
const MrnSceneFile *mrn_build_file(MrnSceneBuilder *builder, const MrnYaml *node, const char *key, const char *name);

/// Index of the material called `name` (NULL: the first); -1 with an error at field `material` of `node`.
int mrn_build_material(MrnSceneBuilder *builder, const MrnYaml *node, const char *name);

/// Rotation of a section (may be NULL) as an angle in [0] (2D) or a unit quaternion (3D).
bool mrn_build_rotation(MrnSceneBuilder *builder, const MrnRotationSpec *spec, double rotation[4]);

/// Random numbers of one body: the seed of its generator and its number in it.
typedef struct MrnDraw {
    uint64_t seed, entity;
} MrnDraw;

/// Make a shape (free it with mrn_shape_free). `material` is the body's. `draw` replaces the seed of irregular shapes
/// unless NULL.
bool mrn_build_shape(MrnSceneBuilder *builder, const MrnShapeSpec *spec, int material, const MrnDraw *draw,
                     MrnShape *out);

/// An irregular outline within `radius`: polygon in 2D, polyhedron in 3D. Uses draws [0, 4 corners) of `draw`.
MrnShape mrn_irregular_shape(int dimension, double radius, size_t corners, double irregularity, bool star,
                             MrnDraw draw);

/// Multiply all lengths of a shape, its place in the body included.
void mrn_scale_shape(MrnShape *shape, double factor);

/// Add a body called `name` (or NULL) to the model; errors are placed at `node`.
bool mrn_build_add_body(MrnSceneBuilder *builder, const MrnYaml *node, const MrnBodyDef *def, const char *name);

/// Settings of smooth contacts; their lists belong to the scene.
bool mrn_build_dem(MrnSceneBuilder *builder, MrnDemSettings *settings);

/// All bodies of one generator.
bool mrn_generate(MrnSceneBuilder *builder, const MrnGeneratorSpec *spec);
bool mrn_check_drums(MrnSceneBuilder *builder); ///< after all bodies: a drum has something in it

/// The `environment` section, after the bodies.
bool mrn_build_environment(MrnSceneBuilder *builder);

/// The `expect` and `reference` sections. NULL with an error; an empty section gives no expectations.
bool mrn_build_expectations(MrnSceneBuilder *builder);

/// Everything: fills builder->scene from builder->root.
bool mrn_build_scene(MrnSceneBuilder *builder);

/// Read the outline of a polygon or line from WKT or GeoJSON text: 2 numbers per vertex. False with a message about the
/// contents.
bool mrn_outline_read(const char *name, const char *data, size_t size, bool closed, double **vertices, size_t *count,
                      MrnError *error);

#endif
