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

/// Where a member lies in an object's text: the first byte of its key (behind the quote), and of its value.
struct MemberPosition {
  std::uint32_t key = 0;
  std::uint32_t value = 0;
};

/// A JSON object inside an object's text whose members were noted while it was read, so that none of them has to be
/// looked for: without, all of it would be gone through each time, since of equal keys the last counts.
struct IndexedPart {
  std::string_view text{};  ///< Empty if there is none.
  /// In their order; empty where there is nothing to be gained, where they are too many, or where a key has an escape.
  std::span<const MemberPosition> members{};

  /// The value at `pointer` below this part.
  Value At(std::string_view whole, std::string_view pointer) const;
};

}  // namespace internal

/// An object's text, and views of its metadata into it.
struct Object::Rep {
  /// Annotations, read when somebody first asks: most objects are never asked, and `last-applied-configuration` with
  /// its escapes resolved would be kept twice.
  struct DecodedAnnotations {
    std::string unescaped;
    StringMap map;
  };

  Rep() = default;
  ~Rep() { delete decoded_annotations.load(std::memory_order_acquire); }
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  /// Behind this in the same block of memory, as are the positions of the indexed parts' members.
  std::string_view text;
  std::size_t block_bytes = 0;  ///< The whole block's.
  std::string unescaped;        ///< Metadata that has escapes in the text; reserved once, so that views into it stay.
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
  /// Where nearly every field is that somebody reads.
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
