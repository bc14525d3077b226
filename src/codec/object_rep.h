#ifndef KINFORMER_SRC_CODEC_OBJECT_REP_H_
#define KINFORMER_SRC_CODEC_OBJECT_REP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer {
namespace internal {

/// The position of a member in an object's text: the first byte of its key (after the quote), and of its value.
struct MemberPosition {
  std::uint32_t key = 0;
  std::uint32_t value = 0;
};

/// A JSON object inside an object's text, with the positions of its members, recorded while it was read. Without them,
/// each lookup would scan all of it, because the last of equal keys counts.
struct IndexedPart {
  std::string_view text{};  ///< Empty if there is none.
  /// In text order; empty if an index would gain nothing, if there are too many members, or if a key has an escape.
  std::span<const MemberPosition> members{};

  /// The value at `pointer` below this part.
  Value At(std::string_view whole, std::string_view pointer) const;
};

}  // namespace internal

/// An object's text, and its metadata as views into it.
struct Object::Rep {
  /// Annotations, decoded on first use: those of most objects are never read, and an unescaped copy of
  /// `last-applied-configuration` would double its size.
  struct DecodedAnnotations {
    std::string unescaped;
    StringMap map;
  };

  Rep() = default;
  ~Rep() { delete decoded_annotations.load(std::memory_order_acquire); }
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  /// Stored behind this struct in the same allocation, as are the member positions of the indexed parts.
  std::string_view text;
  std::size_t block_bytes = 0;  ///< The size of the whole allocation.
  std::string unescaped;  ///< Metadata that is escaped in the text; reserved once, so that views into it stay valid.
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_name;
  std::string_view uid;
  std::string_view resource_version;
  std::optional<std::string_view> creation_timestamp;
  std::optional<std::string_view> deletion_timestamp;
  std::string_view annotations;  ///< The JSON object; empty if there is none.
  /// Nearly every field that is read is in one of these.
  internal::IndexedPart spec;
  internal::IndexedPart status;
  std::int64_t generation = 0;
  StringMap labels;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string_view> finalizers;
  bool partial = false;
  mutable std::atomic<DecodedAnnotations*> decoded_annotations{nullptr};
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_CODEC_OBJECT_REP_H_
