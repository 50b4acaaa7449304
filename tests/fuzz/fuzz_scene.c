// Fuzz target of the scene reader: any bytes are either a scene or an error with a message. What follows a byte 0 is
// one --set argument.
#include "io/scene_build.h"
#include <moraine/scene.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// libfyaml 0.7 loses a buffer when a long quoted text is not closed; that is not ours to find.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mrn_scene_max_bodies = 300; // enough for every path, small enough to be fast
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    const char *override = length < size ? text + length + 1 : NULL;
    static const char square[] = "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", table[] = "0 0 0 0\n1 1 0 0.5\n";
    const MrnSceneFile files[] = {{(char *)"square.wkt", (char *)square, sizeof square - 1},
                                  {(char *)"motion.txt", (char *)table, sizeof table - 1}};
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "fuzz.yaml", &override, override ? 1 : 0, files, 2, &error);
    if (!scene && !error.message[0]) abort(); // refused without a reason
    if (scene && (!scene->model || !mrn_model_body_count(scene->model) || !(scene->duration > 0) ||
                  !(scene->output_interval > 0)))
        abort();
    mrn_scene_free(scene);
    free(text);
    return 0;
}
