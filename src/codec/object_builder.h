#ifndef KINFORMER_SRC_CODEC_OBJECT_BUILDER_H_
#define KINFORMER_SRC_CODEC_OBJECT_BUILDER_H_

// In:     a JSON text, and a walker positioned at an object in it
// Out:    an Object, with its own copy of the text
// Thread: the caller's; pure
// Next:   Object::Parse, ListReader, ReadWatchEvent

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

#include "src/codec/json_walker.h"

namespace kinformer {
namespace internal {
struct IndexedPart;
struct MemberPosition;
}  // namespace internal

/// Reads one object in one pass: validates it, records where its metadata is, and copies the text without the dropped
/// parts. Only one may exist on a thread at a time.
struct ObjectBuilder {
 public:
  /// `base` is added to the offsets in errors: the offset of `text` in the input.
  ObjectBuilder(std::string_view text, internal::JsonWalker& walker, const ObjectOptions& options,
                std::size_t base = 0);
  ObjectBuilder(const ObjectBuilder&) = delete;
  ObjectBuilder& operator=(const ObjectBuilder&) = delete;

  /// Takes the next object. After false, `error()` says what is wrong; it is empty if the text is not valid JSON (the
  /// caller then explains the whole text).
  bool Read();
  const std::optional<Error>& error() const { return error_; }
  /// The object's range in the text. Precondition: Read returned true.
  const internal::Span& span() const { return object_; }
  /// Precondition: Read returned true. May be called only once.
  ObjectPtr Build();

 private:
  using Span = internal::Span;
  struct OwnerSpans {
    std::optional<Span> api_version;
    std::optional<Span> kind;
    std::optional<Span> name;
    std::optional<Span> uid;
    bool controller = false;
    bool block_owner_deletion = false;
  };
  /// Parts with more members than this are not indexed.
  static constexpr std::size_t kMaxIndexed = 64;
  struct PartSpans {
    std::optional<Span> whole;
    /// Where keys and values begin.
    std::array<std::pair<std::size_t, std::size_t>, kMaxIndexed> members;  // NOLINT: the first `count` are set
    std::size_t count = 0;
    /// True if a key contains an escape.
    bool has_escapes = false;
  };
  /// Reused by each thread from one object to the next.
  struct Lists {
    std::vector<Span> cuts;
    std::vector<std::pair<Span, Span>> labels;
    std::vector<OwnerSpans> owners;
    std::vector<Span> finalizers;
  };
  struct Shared;

  static Lists& ThreadLists();

  template <typename OnMember>
  bool Members(OnMember&& on_member);
  template <typename OnElement>
  bool Elements(OnElement&& on_element);
  bool TopLevelMember(std::string_view key, Span& value, bool& cut);
  bool MetadataMember(std::string_view key, Span& value, bool& cut);
  bool Part(PartSpans& part, Span& value);
  bool TypeMember(std::string_view path, std::optional<Span>& field, Span& value, bool& cut);
  bool StringField(std::string_view path, std::optional<Span>& field, Span& value);
  bool BoolField(std::string_view path, bool& field, Span& value);
  bool IntField(std::string_view path, std::int64_t& field, Span& value);
  bool StringMapField(std::string_view path, std::vector<std::pair<Span, Span>>* entries, Span& value);
  bool Finalizers(Span& value);
  bool OwnerReferences(Span& value);
  bool TakeNull(Span& value);
  bool Fail(std::string_view path, std::string_view what);

  bool HasEscape(Span span) const;
  void CountEscaped(Span span);
  std::size_t Mapped(std::size_t source) const;
  std::string_view View(const std::optional<Span>& span, Object::Rep& rep) const;
  internal::IndexedPart PlacePart(const PartSpans& part, std::string_view text, internal::MemberPosition*& room) const;

  std::string_view text_;
  internal::JsonWalker& walker_;
  const ObjectOptions& options_;
  std::size_t base_;
  std::optional<Error> error_;

  Span object_;
  std::vector<Span>& cuts_;
  std::size_t inserted_ = 0;
  std::size_t unescaped_bytes_ = 0;
  bool has_metadata_ = false;
  bool in_owner_ = false;

  PartSpans spec_;
  PartSpans status_;
  std::optional<Span> api_version_;
  std::optional<Span> kind_;
  std::optional<Span> name_;
  std::optional<Span> generate_name_;
  std::optional<Span> namespace_;
  std::optional<Span> uid_;
  std::optional<Span> resource_version_;
  std::optional<Span> creation_timestamp_;
  std::optional<Span> deletion_timestamp_;
  std::int64_t generation_ = 0;
  std::vector<std::pair<Span, Span>>& labels_;
  std::optional<Span> annotations_;
  std::vector<OwnerSpans>& owners_;
  std::vector<Span>& finalizers_;
};

namespace internal {

/// Object::Parse for a part of a larger text, in which it begins at offset `base`.
Result<ObjectPtr> ParseObject(std::string_view text, const ObjectOptions& options, std::size_t base);

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_SRC_CODEC_OBJECT_BUILDER_H_
