// error: (convert|conversion|no match)
#include "test/api/example_types.h"

example::v1::Container Make() {
#ifdef WRONG
  return {.name = {{"a", "b"}}};
#else
  return {.name = {"a"}};
#endif
}
