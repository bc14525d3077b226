#ifndef KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_
#define KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_

// In:     a Schema, or none
// Out:    what apply needs to know of a value's type: what it may be, what is owned as a whole, what tells elements
// apart Thread: any; a value that points into a KindSchema Next:   typed_value.h

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// The type of a value, as apply sees it. A value whose schema says nothing has a deduced type: objects are taken
/// apart, everything else is one value.
class TypeRef {
 public:
  /// No type: nothing is known, not even that it is an object.
  TypeRef() = default;
  /// Null: deduced.
  static TypeRef Of(const Schema* schema) { return Of(schema, false); }
  static TypeRef Deduced();
  /// Any value, owned as a whole.
  static TypeRef Whole();

  bool HasScalar() const;
  bool HasList() const;
  bool HasMap() const;

  /// Owned as a whole.
  bool AtomicMap() const;
  /// Null: not among those that have a name.
  const SchemaField* Field(std::string_view name) const;
  /// Of a named field its own; of the others what they all have, or deduced if there may be none.
  TypeRef MapItem(std::string_view name) const;
  /// Fields without a name may be there.
  bool AllowsUnnamed() const;

  /// Owned as a whole.
  bool AtomicList() const;
  /// Empty: a set of scalars.
  const std::vector<std::string>& Keys() const;
  TypeRef Element() const;
  /// Of a key field that an element does not have; null: none.
  const nlohmann::json* KeyDefault(std::string_view key) const;

  /// Null where deduced.
  const Schema* schema() const { return schema_; }

 private:
  enum class Kind { kNone, kSchema, kDeduced, kWhole };

  static TypeRef Of(const Schema* schema, bool preserve);
  std::optional<TypeRef> Unnamed() const;

  Kind kind_ = Kind::kNone;
  const Schema* schema_ = nullptr;
  /// Something around it keeps unknown fields; so does everything in it.
  bool preserve_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_
