// error: (convert|conversion)
#include "test/api/example_types.h"

example::v1::SecurityContext Make() {
#ifdef WRONG
  return {.privileged = "false"};
#else
  return {.privileged = false};
#endif
}
