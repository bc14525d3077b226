// error: (discards qualifiers|no viable overloaded|const)
#include "test/api/example_types.h"

void Label(example::v1::ObjectMeta& metadata) {
#ifdef WRONG
  metadata.labels["app"] = "web";
#else
  metadata.labels.Set("app", "web");
#endif
}
