// error: (convert|conversion)
#include <cstddef>

#include "test/api/example_types.h"

example::v1::DeploymentSpec Make(std::size_t count) {
#ifdef WRONG
  return {.replicas = count};
#else
  return {.replicas = static_cast<std::int64_t>(count)};
#endif
}
