// docs/validation.md.
#include "verify/history.h"
#include "verify/verify.h"
void mrn_verify_markdown(FILE *out, const MrnVerifyReport *reports, size_t count) { (void)out; (void)reports; (void)count; }
const MrnChecklistRow mrn_checklist[] = {{0}};
const size_t mrn_checklist_count = 0;
