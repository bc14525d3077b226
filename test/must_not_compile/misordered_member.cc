// error: (designator order|does not match declaration order|reorder)
// clang 14 only warns, so that the check compiles with -Werror=reorder-init-list.
#include "test/api/example_types.h"

#ifdef __clang__
#pragma clang diagnostic error "-Wreorder-init-list"
#endif

example::v1::Container Make() {
#ifdef WRONG
  return {.image = "nginx", .name = "web"};
#else
  return {.name = "web", .image = "nginx"};
#endif
}
