#ifndef KINFORMER_STORE_INDEX_H_
#define KINFORMER_STORE_INDEX_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer {

/// The values under which an index files an object; empty: the object is not in the index.
using Keys = std::vector<std::string>;
using IndexFunction = std::function<Keys(const ObjectPtr&)>;

/// The built-in index of every cache: objects by namespace, cluster-scoped objects under "".
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// One condition of a lookup in several indices at once.
struct IndexLookup {
  std::string_view index{};
  std::string_view value{};
};

}  // namespace kinformer

#endif  // KINFORMER_STORE_INDEX_H_
