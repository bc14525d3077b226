#ifndef KINFORMER_WATCH_WAIT_CONDITION_H_
#define KINFORMER_WATCH_WAIT_CONDITION_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/views/view.h>

namespace kinformer {

/// A condition on the state of one object, with its description. A value; combine conditions with `&&`, `||` and `!`,
/// which evaluate from left to right and short-circuit.
///
///     auto ready = ki::HasStatusCondition("Ready") && !ki::IsBeingDeleted();
///     auto moved = ki::When<Pod>("left node-7", [](const Pod& pod) { return pod.NodeName() != "node-7"; });
///     auto either = moved || ki::FieldEquals("/status/phase", "Failed");
///
/// @par Thread Safety
/// Immutable. User functions are called on the waiting thread, with no lock held.
class WaitCondition {
 public:
  /// Called with null if the object does not exist. An error ends the wait.
  using Test = std::function<Result<bool>(const ObjectPtr& object)>;
  /// Describes how far the object has come, for messages: "Ready=False (ContainersNotReady)". Optional.
  using Report = std::function<std::string(const Object& object)>;

  WaitCondition(std::string description, Test test, Report report = {});

  /// "status condition Ready=True"
  const std::string& Description() const& { return node_->description; }
  const std::string& Description() const&& = delete;
  /// kInternal if `test` throws.
  Result<bool> IsMetBy(const ObjectPtr& object) const;
  /// Describes the object's state: "absent", or "exists, phase Pending, Ready=False (ContainersNotReady)".
  std::string Describe(const ObjectPtr& object) const;

  friend WaitCondition operator&&(const WaitCondition& a, const WaitCondition& b);
  friend WaitCondition operator||(const WaitCondition& a, const WaitCondition& b);
  friend WaitCondition operator!(const WaitCondition& condition);

 private:
  struct Node {
    std::string description;
    Test test;
    std::vector<Report> reports;
    bool compound = false;  ///< Needs parentheses inside others.
  };
  explicit WaitCondition(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  std::string Bracketed() const;

  std::shared_ptr<const Node> node_;
};

/// The object exists.
WaitCondition Exists();
/// The object does not exist (any more). With a uid: no object with that uid exists, even if another has the same name.
WaitCondition IsDeleted();
WaitCondition IsDeleted(const std::string& uid);
/// The object is deleted, but still present until its finalizers are removed and its grace period is over.
WaitCondition IsBeingDeleted();

/// A string, an integer or a bool.
class FieldValue {
 public:
  template <typename T>
  requires(std::convertible_to<T, std::string_view> || std::integral<std::remove_cvref_t<T>>)
      FieldValue(const T& value) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::convertible_to<T, std::string_view>) {
      value_ = std::string(std::string_view(value));
    } else if constexpr (std::same_as<std::remove_cvref_t<T>, bool>) {
      value_ = value;
    } else {
      value_ = static_cast<std::int64_t>(value);
    }
  }

  bool Equals(const Value& field) const;
  std::string Text() const;

 private:
  std::variant<std::string, std::int64_t, bool> value_;
};

/// The field at an RFC 6901 pointer has this value, including the type. Values that may be secret, such as those under
/// `/data` and `/stringData`, are not shown in messages.
WaitCondition FieldEquals(const std::string& pointer, const FieldValue& value);
WaitCondition FieldExists(const std::string& pointer);

/// `status.conditions` has an entry with this type and status. An entry for an older generation of the object (its
/// observedGeneration is lower) does not count, as in `kubectl wait`.
WaitCondition HasStatusCondition(const std::string& type, const std::string& status = "True");
/// `status.observedGeneration` has reached the object's generation: its controller has seen the latest spec.
WaitCondition GenerationIsObserved();

WaitCondition HasLabel(const std::string& key);
WaitCondition HasLabel(const std::string& key, const std::string& value);
WaitCondition HasAnnotation(const std::string& key);
WaitCondition HasAnnotation(const std::string& key, const std::string& value);

namespace internal {
/// Callable with Argument, returning `bool` or `Result<bool>`.
template <typename Function, typename Argument>
concept TestableWith = std::is_invocable_r_v < Result<bool>,
const Function&, Argument > ;
}  // namespace internal

/// A user-defined condition. A function of `const Object&` is called only if the object exists; otherwise the condition
/// is not met. A function of `const ObjectPtr&` is always called, with null if the object does not exist. Returns bool
/// or Result<bool>.
template <typename Function>
requires(internal::TestableWith<Function, const Object&> ||
         internal::TestableWith<Function, const ObjectPtr&>) WaitCondition
    When(std::string description, Function function) {
  return WaitCondition(std::move(description), [f = std::move(function)](const ObjectPtr& object) -> Result<bool> {
    if constexpr (internal::TestableWith<Function, const Object&>) {
      if (object == nullptr) return false;
      return f(*object);
    } else {
      return f(object);
    }
  });
}

/// The same for a typed view: a function of `const T&` is called only if the object exists; a function of `const T*` is
/// always called, with null if it does not. An object of another kind is an error.
template <ObjectView T, typename Function>
requires(internal::TestableWith<Function, const T&> || internal::TestableWith<Function, const T*>) WaitCondition
    When(std::string description, Function function) {
  return WaitCondition(std::move(description), [f = std::move(function)](const ObjectPtr& object) -> Result<bool> {
    std::optional<T> view;
    if (object != nullptr) {
      Result<T> seen = T::From(object);
      if (!seen) return std::move(seen).error();
      view.emplace(*seen);
    }
    if constexpr (internal::TestableWith<Function, const T&>) {
      if (!view) return false;
      return f(*view);
    } else {
      return f(view ? &*view : nullptr);
    }
  });
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_CONDITION_H_
