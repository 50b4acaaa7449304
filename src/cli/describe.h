// What is in a scene, counted and measured, for `check` and `info`.
#ifndef MRN_CLI_DESCRIBE_H
#define MRN_CLI_DESCRIBE_H

#include "cli/cli.h"

/// Longest step that is stable under explicit drag; INFINITY where drag is implicit or there is none.
double mrn_scene_stable_step(const MrnScene *scene);
extern const MrnJsonField mrn_scene_fields[]; ///< the JSON object of a scene

json_t *mrn_scene_describe(const MrnScene *scene);
void mrn_scene_print(FILE *out, const MrnScene *scene);

#endif
