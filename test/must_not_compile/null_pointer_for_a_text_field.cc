// error: (convert|conversion)
#include "test/api/example_types.h"

example::v1::Container Make() {
#ifdef WRONG
  return {.name = nullptr};
#else
  return {.name = "web"};
#endif
}
