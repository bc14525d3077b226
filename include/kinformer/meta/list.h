#ifndef KINFORMER_META_LIST_H_
#define KINFORMER_META_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinformer {

/// A list's own metadata, without its items.
struct ListMeta {
  /// The version of the whole list: a watch that starts here misses nothing.
  std::string resource_version{};
  /// If there is more: continues the list after these items.
  std::string continue_token{};
  /// The server's count of objects that follow. Unknown with selectors, and on the last page.
  std::optional<std::int64_t> remaining_item_count{};

  bool operator==(const ListMeta&) const = default;
};

/// A list, or one page of it, in the shape of its JSON.
template <typename Item>
struct ListOf {
  std::vector<Item> items{};
  ListMeta metadata{};
};

}  // namespace kinformer

#endif  // KINFORMER_META_LIST_H_
