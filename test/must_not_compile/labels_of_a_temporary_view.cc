// error: use of deleted|call to deleted
#include <kinformer/views/core_v1.h>

kinformer::core::v1::Pod Find();

std::size_t Count() {
  std::size_t count = 0;
#ifdef WRONG
  for (const auto& label : Find().Labels()) count += label.first.size();
#else
  const kinformer::core::v1::Pod pod = Find();
  for (const auto& label : pod.Labels()) count += label.first.size();
#endif
  return count;
}
