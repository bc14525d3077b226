// error: use of deleted|call to deleted|call to a member function.*deleted
#include <string_view>

#include <kinformer/views/core_v1.h>

kinformer::core::v1::Pod Find();

std::string_view name;

void Keep() {
#ifdef WRONG
  name = Find().Name();
#else
  static const kinformer::core::v1::Pod pod = Find();
  name = pod.Name();
#endif
}
