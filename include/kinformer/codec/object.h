#ifndef KINFORMER_CODEC_OBJECT_H_
#define KINFORMER_CODEC_OBJECT_H_

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/names.h>

namespace kinformer {

class Value;
namespace internal {
/// A Value over text that is already validated.
Value MakeValue(std::string_view valid_json);
}  // namespace internal

/// One value in an object's JSON, located without a DOM. A view, like std::string_view: it and the views it returns are
/// valid while the Object it came from lives.
///
/// Accessors never fail: a value that is absent or of another type yields nullopt, or the given default.
///
/// @par Thread Safety
/// Immutable; any thread.
class Value {
 public:
  Value() = default;

  bool Exists() const { return !raw_.empty(); }
  bool IsNull() const { return raw_ == "null"; }
  /// The value's own JSON text; empty if absent.
  std::string_view Raw() const { return raw_; }

  std::optional<std::string> AsString() const;
  std::optional<std::int64_t> AsInt() const;
  std::optional<double> AsDouble() const;
  std::optional<bool> AsBool() const;
  std::string StringOr(std::string_view otherwise) const;
  std::int64_t IntOr(std::int64_t otherwise) const { return AsInt().value_or(otherwise); }
  bool BoolOr(bool otherwise) const { return AsBool().value_or(otherwise); }

  /// An RFC 6901 pointer below this value ("/spec/containers/0/image"); "" is the value itself.
  Value At(std::string_view pointer) const;
  /// The elements of an array; empty for anything else.
  std::vector<Value> Elements() const;
  /// The members of a JSON object in document order; empty for anything else.
  std::vector<std::pair<std::string, Value>> Members() const;
  std::size_t Size() const;  ///< Elements of an array or members of an object, else 0.

  /// Never throws; null for an absent value.
  nlohmann::json ToJson() const;

 private:
  friend class Object;
  friend Value internal::MakeValue(std::string_view valid_json);
  explicit Value(std::string_view raw) : raw_(raw) {}
  std::string_view raw_;
};

/// Labels or annotations, sorted by key; lookups use binary search. Views into their Object.
class StringMap {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;
  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  StringMap() = default;
  /// Sorts the entries. The last of equal keys wins, as in a JSON parser.
  explicit StringMap(std::vector<Entry> entries);

  std::optional<std::string_view> Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key).has_value(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const_iterator begin() const& { return entries_.begin(); }
  const_iterator begin() const&& = delete;
  const_iterator end() const& { return entries_.end(); }
  const_iterator end() const&& = delete;

 private:
  std::vector<Entry> entries_;
};

struct OwnerReference {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view name{};
  std::string_view uid{};
  bool controller = false;
  bool block_owner_deletion = false;
};

class Object;
using ObjectPtr = std::shared_ptr<const Object>;

struct ObjectOptions {
  /// metadata.managedFields is a quarter of many objects, and most controllers do not use it. An update without it
  /// leaves it unchanged on the server.
  bool keep_managed_fields = false;
  /// Used if the text has no apiVersion or no kind, as in items of typed lists.
  GroupVersionKind default_gvk{};
  /// Marks the object as partial: see Object::IsPartial.
  bool partial = false;
};

/// A Kubernetes object: its JSON text and its parsed metadata. Immutable and shared: a cache, its indices and its
/// handlers all hold the same instance.
///
/// @par Thread Safety
/// Immutable; any thread.
class Object {
 public:
  /// Validates every byte (grammar, UTF-8, depth). `metadata` is required. Errors are kMalformed and give the byte
  /// offset.
  static Result<ObjectPtr> Parse(std::string_view json, const ObjectOptions& options = {});
  /// From a DOM. kInvalidArgument if it is nested too deeply or contains invalid UTF-8.
  static Result<ObjectPtr> FromJson(const nlohmann::json& json, const ObjectOptions& options = {});

  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::string_view ApiVersion() const;
  std::string_view Kind() const;
  GroupVersionKind Gvk() const;
  std::string_view Name() const;
  std::string_view GenerateName() const;
  std::string_view Namespace() const;
  NamespacedName Key() const;
  std::string_view Uid() const;
  std::string_view ResourceVersion() const;
  std::int64_t Generation() const;
  /// RFC 3339, as the server sent it.
  std::optional<std::string_view> CreationTimestamp() const;
  std::optional<std::string_view> DeletionTimestamp() const;
  const StringMap& Labels() const;
  const StringMap& Annotations() const;
  const std::vector<OwnerReference>& OwnerReferences() const;
  const std::vector<std::string_view>& Finalizers() const;

  /// A single field by RFC 6901 pointer, without a DOM; `Exists()` tells whether it is there.
  Value At(std::string_view pointer) const;
  /// The JSON text, including apiVersion and kind; without managedFields unless they were kept.
  std::string_view Json() const;
  nlohmann::json ToJson() const;

  /// Decodes into a user-defined type through nlohmann's `from_json`; include <nlohmann/json.hpp> where you call it.
  /// Exceptions become kMalformed errors that name the object.
  template <typename T, typename Json = nlohmann::json>
  Result<T> As() const {
    // Through a pointer whose type depends on Json: a direct call would need the complete type here.
    Json (Object::*const to_json)() const = &Object::ToJson;
    try {
      const Json json = (this->*to_json)();
      return json.template get<T>();
    } catch (const std::exception& e) {
      return DecodeError(e.what());
    } catch (...) {
      return DecodeError("an exception of unknown type");
    }
  }

  /// True if fields were removed when the object was read (a projection, or metadata only). Update rejects such an
  /// object, because writing it back would delete those fields. Removed managedFields alone do not count.
  bool IsPartial() const;

  /// The memory that this object occupies, in bytes: text and metadata index.
  std::size_t MemoryUsage() const;

 private:
  struct Rep;
  friend struct ObjectBuilder;
  /// `rep` must outlive this object.
  explicit Object(const Rep& rep);
  Error DecodeError(std::string_view what) const;

  const Rep* const rep_;
};

}  // namespace kinformer

#endif  // KINFORMER_CODEC_OBJECT_H_
