#ifndef KINFORMER_SRC_CODEC_OBJECT_REP_H_
#define KINFORMER_SRC_CODEC_OBJECT_REP_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer {

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

  std::string text;
  std::string unescaped;  ///< Metadata that has escapes in the text; reserved once, so that views into it stay.
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
  /// Where nearly every field is that somebody reads. To find them in the text, all of it would be gone through, since
  /// of equal keys the last counts. Empty if there is none.
  std::string_view spec;
  std::string_view status;
  std::int64_t generation = 0;
  StringMap labels;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string_view> finalizers;
  bool partial = false;
  mutable std::atomic<DecodedAnnotations*> decoded_annotations{nullptr};
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_CODEC_OBJECT_REP_H_
