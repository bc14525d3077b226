// error: (convert|conversion)
#include "test/api/example_types.h"

example::v1::DeploymentSpec Make() {
#ifdef WRONG
  return {.replicas = 2.5};
#else
  return {.replicas = 2};
#endif
}
