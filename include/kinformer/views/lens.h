#ifndef KINFORMER_VIEWS_LENS_H_
#define KINFORMER_VIEWS_LENS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/time.h>

namespace kinformer {

/// Typed accessors for a part of an object. It keeps the object alive, so it may outlive the view it came from. Fields
/// without an accessor are available through At.
///
/// @par Thread Safety
/// Immutable; any thread.
class Lens {
 public:
  Lens(ObjectPtr owner, Value value) : owner_(std::move(owner)), value_(value) {}

  /// A field below this part, by RFC 6901 pointer; valid while the object lives.
  Value At(std::string_view pointer) const& { return value_.At(pointer); }
  Value At(std::string_view pointer) const&& = delete;
  const Value& value() const& { return value_; }
  const Value& value() const&& = delete;
  const ObjectPtr& owner() const& { return owner_; }
  ObjectPtr owner() const&& { return owner_; }

 private:
  ObjectPtr owner_;
  Value value_;
};

/// An entry of `status.conditions`.
class Condition : public Lens {
 public:
  using Lens::Lens;

  std::string Type() const;
  std::string Status() const;  ///< "True", "False" or "Unknown".
  std::string Reason() const;
  std::string Message() const;
  std::optional<Timestamp> LastTransitionTime() const;
  std::optional<std::int64_t> ObservedGeneration() const;

  bool IsTrue() const { return Status() == "True"; }
  bool IsFalse() const { return Status() == "False"; }
};

std::optional<Condition> FindCondition(const std::vector<Condition>& conditions, std::string_view type);

/// A reference to another object, as in an event's `involvedObject`.
class ObjectReference : public Lens {
 public:
  using Lens::Lens;

  std::string ApiVersion() const;
  std::string Kind() const;
  std::string Namespace() const;
  std::string Name() const;
  std::string Uid() const;
  std::string ResourceVersion() const;
  std::string FieldPath() const;
  NamespacedName Key() const { return {Namespace(), Name()}; }
};

}  // namespace kinformer

#endif  // KINFORMER_VIEWS_LENS_H_
