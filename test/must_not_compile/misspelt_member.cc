// error: (no non-static data member named.*imagge|imagge.*does not refer to any field)
#include "test/api/example_types.h"

void Make() {
#ifdef WRONG
  const example::v1::Container container{.imagge = "nginx"};
#else
  const example::v1::Container container{.image = "nginx"};
#endif
  (void)container;
}
