// moraine gallery: the scenes that reproduce published results.
#include "cli/cli.h"
static int run_gallery(const MrnArguments *arguments) { (void)arguments; return 0; }
const MrnCommand mrn_command_gallery = {.name = "gallery", .operands = "", .summary = "list the scenes that reproduce published results", .description = "", .fields = (const MrnJsonField[]){{NULL, NULL, NULL}}, .examples = (const MrnExample[]){{NULL, NULL}}, .run = run_gallery};
