#include <kinformer/api/time.h>

namespace kinformer::api::internal {

bool SameInstant(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto left = ParseTimestamp(a);
  return left && left == ParseTimestamp(b);
}

}  // namespace kinformer::api::internal
