#ifndef KINFORMER_SRC_CODEC_LIST_READER_H_
#define KINFORMER_SRC_CODEC_LIST_READER_H_

// In:     bytes of a list response, in arbitrary chunks
// Out:    objects, while the body is still arriving; the list's metadata at the end
// Thread: the consumer's; no state is shared
// Next:   ResourceClient::List, or the Reflector

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/list.h>

namespace kinformer::internal {

struct ListReaderOptions {
  ObjectOptions object;
  /// The maximum size of an item, so that a hostile server cannot make the buffer grow without bound; and the maximum
  /// number of bytes without an item, so that it cannot send data forever.
  std::size_t max_item_bytes = 64U << 20U;
};

/// Reads `{"kind":"PodList","apiVersion":"v1","metadata":{...},"items":[...]}` with its members in any order. Buffers
/// at most one incomplete item. Items without kind and apiVersion get them from the list ("PodList" gives "Pod") if it
/// names them before its items, else from options.object.default_gvk.
class ListReader {
 public:
  explicit ListReader(ListReaderOptions options = {});
  ~ListReader();
  ListReader(ListReader&&) noexcept;
  ListReader& operator=(ListReader&&) noexcept;

  /// Appends every item that became complete to `items`; items appended before an error are valid. After an error the
  /// reader is unusable.
  Result<void> Feed(std::string_view chunk, std::vector<ObjectPtr>& items);
  /// Call it after the last chunk: an error if the list is incomplete, or if the body is not a list.
  Result<ListMeta> Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_LIST_READER_H_
