// error: deleted function
#include "test/api/example_types.h"

int Ask(const example::v1::SecurityContext& context) {
#ifdef WRONG
  if (context.privileged) return 1;
#else
  if (context.privileged.value_or(false)) return 1;
#endif
  return 0;
}
