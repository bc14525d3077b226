// error: (convert|conversion|no matching|could not)
#include "test/api/example_types.h"

example::v1::WidgetSpec Make() {
#ifdef WRONG
  return {.enabled = {{"a", 1}}};
#else
  return {.enabled = {{"a", true}}};
#endif
}
