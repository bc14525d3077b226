#ifndef KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_
#define KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_

// In:     a Schema, or none
// Out:    what apply needs to know of a value's type: what it may be, whether it is atomic, how elements are identified
// Thread: any; a value that points into a KindSchema
// Next:   typed_value.h

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// The form in which a type describes a value.
enum class Atom { kMap, kScalar, kList, kNone };

/// The type of a value, as seen by apply. Without a schema the type is deduced: objects are granular, everything else
/// is atomic.
class TypeRef {
 public:
  /// No type: nothing is known, not even whether the value is an object.
  TypeRef() = default;
  /// Null: deduced.
  static TypeRef Of(const Schema* schema) { return Of(schema, false); }
  static TypeRef Deduced();
  /// Any value, atomic.
  static TypeRef Whole();

  bool HasScalar() const;
  bool HasList() const;
  bool HasMap() const;
  /// The form that applies to `value`. A type with several forms goes by the value.
  Atom AtomFor(const nlohmann::json& value) const;

  /// Atomic: owned as a whole.
  bool AtomicMap() const;
  /// Null: not a named field.
  const SchemaField* Field(std::string_view name) const;
  /// The type of a field: its own if named, otherwise the common type of unnamed ones, or deduced if there is none.
  TypeRef MapItem(std::string_view name) const;
  /// Unnamed fields are allowed.
  bool AllowsUnnamed() const;

  /// Atomic: owned as a whole.
  bool AtomicList() const;
  /// Empty: a set of scalars.
  const std::vector<std::string>& Keys() const;
  TypeRef Element() const;
  /// The default of a key field that an element lacks; null: none.
  const nlohmann::json* KeyDefault(std::string_view key) const;

  /// Null if deduced.
  const Schema* schema() const { return schema_; }

 private:
  enum class Kind { kNone, kSchema, kDeduced, kWhole };

  static TypeRef Of(const Schema* schema, bool preserve);
  std::optional<TypeRef> Unnamed() const;

  Kind kind_ = Kind::kNone;
  const Schema* schema_ = nullptr;
  /// An enclosing schema preserves unknown fields; this applies to everything inside.
  bool preserve_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_TYPE_REF_H_
