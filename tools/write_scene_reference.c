// Prints docs/scene.md: the build puts it into the docs folder of the build tree.
#include <moraine/scene.h>

int main(void) {
    mrn_scene_write_reference(stdout);
    return ferror(stdout) ? 1 : 0;
}
