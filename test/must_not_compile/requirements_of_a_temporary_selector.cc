// error: use of deleted|call to deleted
#include <kinformer/meta/selector.h>

kinformer::LabelSelector Parse();

std::size_t Count() {
  std::size_t count = 0;
#ifdef WRONG
  for (const auto& requirement : Parse().requirements()) count += requirement.key().size();
#else
  const kinformer::LabelSelector selector = Parse();
  for (const auto& requirement : selector.requirements()) count += requirement.key().size();
#endif
  return count;
}
