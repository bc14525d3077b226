#ifndef KINFORMER_SRC_CODEC_LIST_READER_H_
#define KINFORMER_SRC_CODEC_LIST_READER_H_

// In:     bytes of a list response, in whatever pieces the network delivers
// Out:    objects, while the body is still arriving; the list's metadata at the end
// Thread: the consumer's; no state is shared
// Next:   client's List, or the Reflector

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// What a list says about itself, beside its items.
struct ListMeta {
  std::string api_version;  ///< "v1"
  std::string kind;         ///< "PodList"
  std::string resource_version;
  std::string continue_token;
  std::optional<std::int64_t> remaining_item_count;
};

struct ListReaderOptions {
  ObjectOptions object;
  /// A longer item is an error, so that a hostile server cannot make us buffer without end; and so are more bytes
  /// than this without any item, so that it cannot make us read without end.
  std::size_t max_item_bytes = 64U << 20U;
};

/// Reads `{"kind":"PodList","apiVersion":"v1","metadata":{...},"items":[...]}` with its members in any order. Keeps
/// at most one unfinished item. Items without kind and apiVersion get them from the list where it has named itself
/// already ("PodList" gives "Pod"), else from options.object.default_gvk.
class ListReader {
 public:
  explicit ListReader(ListReaderOptions options = {});
  ~ListReader();
  ListReader(ListReader&&) noexcept;
  ListReader& operator=(ListReader&&) noexcept;

  /// Appends every item that became complete to `items`; what was appended before an error is good. After an error
  /// the reader is unusable.
  Result<void> Feed(std::string_view chunk, std::vector<ObjectPtr>& items);
  /// After the last chunk: an error if the list is not complete, or was no list at all.
  Result<ListMeta> Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_LIST_READER_H_
