// moraine view: a run in the browser.
#include "cli/viewer.h"

static int run_view(const MrnArguments *arguments) {
    return mrn_viewer_serve(arguments, arguments->operands[0]);
}

const MrnCommand mrn_command_view = {
    .name = "view",
    .operands = "RUN.h5",
    .operand_kind = MRN_VALUE_RUN,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "look at a run in the browser",
    .description = "Serves the run to a page in the browser, on this machine only (127.0.0.1), at an address with a "
                   "random key that is "
                   "printed and opened. The page shows bodies, contacts, forces and the step table; frames are read "
                   "one at a time, so "
                   "that the size of the run does not matter. A run that is still being written is followed.\n\n"
                   "Over SSH, forward the port as the printed line says. Only this run can be read through the "
                   "address. Ctrl-C ends it.",
    .options =
        (const MrnOption[]){
            {"port", 'p', "PORT", MRN_VALUE_COUNT, "port to listen on, instead of any that is free"},
            {"no-open", 0, NULL, MRN_VALUE_NONE, "do not open a browser"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"url", "string", "address of the page, with its key; printed as soon as it can be opened"},
            {"port", "integer", "port it listens on"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine view blocks.h5", "opens the page"},
            {"moraine view blocks.h5 --no-open --port 8000", "only prints the address, on a port of your choice"},
            {"ssh -t -L 8000:127.0.0.1:8000 HOST moraine view blocks.h5 --port 8000 --no-open",
             "a run on another machine: open the printed address here"},
            {"moraine run blocks.yaml --view", "a run while it is being computed"},
            {NULL, NULL},
        },
    .run = run_view,
};
