// What the generators share: one generator at work, and how it adds bodies.
//
// Generators never make bodies that overlap each other, and the same lines with the same seed give the same bodies on
// every machine.
#ifndef MRN_IO_GENERATE_H
#define MRN_IO_GENERATE_H

#include "io/scene_build.h"

/// Numbers of the random draws of a body that are not used by its outline.
enum {
    MRN_DRAW_SIZE = 1 << 20,
    MRN_DRAW_JITTER,
    MRN_DRAW_TURN = MRN_DRAW_JITTER + 3,
    MRN_DRAW_PLACE = MRN_DRAW_TURN + 4
};

typedef struct MrnGenerator {
    MrnSceneBuilder *builder;
    const MrnGeneratorSpec *spec;
    const MrnYaml *node; ///< of the case, for messages
    int material;
    uint64_t seed;
    size_t total; ///< numbered bodies to come
    size_t made;  ///< numbered bodies so far
} MrnGenerator;

/// Announce `total` numbered bodies; refuses too many.
bool mrn_generator_expect(MrnGenerator *generator, double total);
/// Add a body named by the generator's name and `suffix` (NULL: the next number; "": the bare name). Shapes are copied.
bool mrn_generator_add(MrnGenerator *generator, MrnBodyDef *def, const char *suffix);
/// A body definition with the kind, velocity and group of this generator.
MrnBodyDef mrn_generator_body(const MrnGenerator *generator, MrnBodyKind kind);
/// A random orientation.
void mrn_random_rotation(int dimension, MrnDraw draw, double rotation[4]);

/// Limits of a size distribution; false with an error when they are the wrong way round.
bool mrn_size_limits(MrnSceneBuilder *builder, const MrnSizeSpec *spec, double *low, double *high);
/// The size at which a share `u` of all grains is smaller.
double mrn_size_at(const MrnSizeSpec *spec, double u);

bool mrn_generate_fill(MrnGenerator *generator, const MrnFillSpec *spec);
bool mrn_generate_lattice(MrnGenerator *generator, const MrnLatticeSpec *spec);
bool mrn_generate_container(MrnGenerator *generator, const MrnContainerSpec *spec);
bool mrn_generate_pour(MrnGenerator *generator, const MrnPourSpec *spec);
bool mrn_generate_paving(MrnGenerator *generator, const MrnPavingSpec *spec);
bool mrn_generate_drum(MrnGenerator *generator, const MrnDrumSpec *spec);
bool mrn_generate_floes(MrnGenerator *generator, const MrnPackSpec *spec);
bool mrn_generate_outlines(MrnGenerator *generator, const MrnOutlinesSpec *spec);
/// Add a line to what generators report.
void mrn_generator_remark(MrnGenerator *generator, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool mrn_generate_hopper(MrnGenerator *generator, const MrnHopperSpec *spec);
#endif
