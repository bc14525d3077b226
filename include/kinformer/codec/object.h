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
/// A Value over a text that has been validated already.
Value MakeValue(std::string_view valid_json);
}  // namespace internal

/// One value inside an object's JSON, found without a DOM. A view: valid while the Object it came from lives.
///
/// Accessors never fail loudly: a value that is absent or of another type gives nullopt (or the default passed in),
/// which is what reading somebody else's object needs.
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
  /// The members of a JSON object in their order; empty for anything else.
  std::vector<std::pair<std::string, Value>> Members() const;
  std::size_t Size() const;  ///< Elements of an array or members of an object, else 0.

  /// Throws nothing: null for an absent value.
  nlohmann::json ToJson() const;

 private:
  friend class Object;
  friend Value internal::MakeValue(std::string_view valid_json);
  explicit Value(std::string_view raw) : raw_(raw) {}
  std::string_view raw_;
};

/// Labels or annotations: sorted by key, looked up by binary search. Views into their Object.
class StringMap {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;
  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  StringMap() = default;
  /// Sorts; of equal keys the last given wins, as in a JSON parser.
  explicit StringMap(std::vector<Entry> entries);

  std::optional<std::string_view> Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key).has_value(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }

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
  /// metadata.managedFields is a quarter of many objects and of no use to most controllers; an update without it keeps
  /// it on the server.
  bool keep_managed_fields = false;
  /// For items of typed lists, which come without: used where the text has no apiVersion or no kind.
  GroupVersionKind default_gvk{};
  /// Marks the object as reduced: see Object::IsPartial.
  bool partial = false;
};

/// A Kubernetes object: its JSON text, with the metadata read once. Immutable and shared; a cache, its indices and its
/// handlers all hold the same one.
///
/// @par Thread Safety
/// Immutable; any thread.
class Object {
 public:
  /// Validates every byte (grammar, UTF-8, depth), also in parts that nobody reads. `metadata` must be there. Errors
  /// are kMalformed and say at which byte.
  static Result<ObjectPtr> Parse(std::string_view json, const ObjectOptions& options = {});
  /// From a DOM that the user built or changed.
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

  /// A single field without a DOM, by RFC 6901 pointer; `Exists()` tells whether it is there.
  Value At(std::string_view pointer) const;
  /// The text, with apiVersion and kind in it, without managedFields unless they were asked for.
  std::string_view Json() const;
  nlohmann::json ToJson() const;

  /// Decodes into the user's own type through nlohmann's `from_json`; include <nlohmann/json.hpp> where you call it.
  /// What `from_json` throws comes back as a kMalformed error that names the object.
  template <typename T, typename Json = nlohmann::json>
  Result<T> As() const {
    // Through a pointer whose type depends on Json: the call itself would need the complete type here already.
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

  /// True if fields were removed on the way in (a projection, or metadata only). Writing such an object back would
  /// delete what was removed, so Update refuses it. Dropped managedFields alone do not count.
  bool IsPartial() const;

  /// Bytes that this object occupies, text and index of its metadata.
  std::size_t MemoryUsage() const;

 private:
  struct Rep;
  friend struct ObjectBuilder;
  /// `rep` must live as long as this.
  explicit Object(const Rep& rep);
  Error DecodeError(std::string_view what) const;

  const Rep* const rep_;
};

}  // namespace kinformer

#endif  // KINFORMER_CODEC_OBJECT_H_
