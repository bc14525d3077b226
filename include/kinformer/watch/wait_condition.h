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

/// What one waits for: a question to the state of one object, with the words for it. A value; combine it with `&&`,
/// `||` and `!`, which ask from left to right and no further than they need.
///
///     HasStatusCondition("Ready") && !IsBeingDeleted()
///     FieldEquals("/status/phase", "Running") || When<Pod>("restarted", [](const Pod& pod) { ... })
///
/// @par Thread Safety
/// Immutable; what you give it is called on the waiting thread, with no lock held.
class WaitCondition {
 public:
  /// Asked with null where the object does not exist. An error ends the waiting with it.
  using Test = std::function<Result<bool>(const ObjectPtr& object)>;
  /// What of the object tells how far it is: "Ready=False (ContainersNotReady)". For messages; may be left out.
  using Report = std::function<std::string(const Object& object)>;

  WaitCondition(std::string description, Test test, Report report = {});

  /// "status condition Ready=True"
  const std::string& Description() const { return node_->description; }
  /// What `test` throws is kInternal.
  Result<bool> IsMetBy(const ObjectPtr& object) const;
  /// What is there: "absent", or "exists, phase Pending, Ready=False (ContainersNotReady)".
  std::string Describe(const ObjectPtr& object) const;

  friend WaitCondition operator&&(const WaitCondition& a, const WaitCondition& b);
  friend WaitCondition operator||(const WaitCondition& a, const WaitCondition& b);
  friend WaitCondition operator!(const WaitCondition& condition);

 private:
  struct Node {
    std::string description;
    Test test;
    std::vector<Report> reports;
    bool compound = false;  ///< Needs brackets inside others.
  };
  explicit WaitCondition(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  std::string Bracketed() const;

  std::shared_ptr<const Node> node_;
};

/// The object is there.
WaitCondition Exists();
/// It is not there (any more). With a uid: that very object is not; another of its name counts as none.
WaitCondition IsDeleted();
WaitCondition IsDeleted(const std::string& uid);
/// It is deleted, but still there until its finalizers are gone or its grace period is over.
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

/// The field at an RFC 6901 pointer has that value, type included. Values under `/data` and `/stringData`, where
/// secrets are kept, are not shown in messages.
WaitCondition FieldEquals(const std::string& pointer, const FieldValue& value);
WaitCondition FieldExists(const std::string& pointer);

/// `status.conditions` has an entry of that type with that status. One that was made for an older generation of the
/// object (its observedGeneration is lower) does not count, as for `kubectl wait`.
WaitCondition HasStatusCondition(const std::string& type, const std::string& status = "True");
/// `status.observedGeneration` is that of the object: its controller has seen what was asked for.
WaitCondition GenerationIsObserved();

WaitCondition HasLabel(const std::string& key);
WaitCondition HasLabel(const std::string& key, const std::string& value);
WaitCondition HasAnnotation(const std::string& key);
WaitCondition HasAnnotation(const std::string& key, const std::string& value);

namespace internal {
/// What can be asked as `bool` or `Result<bool>`.
template <typename Function, typename Argument>
concept AsksAbout = std::is_invocable_r_v < Result<bool>,
const Function&, Argument > ;
}  // namespace internal

/// A condition of your own, on the JSON. It is asked with `const Object&` only where the object exists (and is not met
/// where it does not), with `const ObjectPtr&` always; null then means that it does not exist. Returns bool or
/// Result<bool>.
template <typename Function>
requires(internal::AsksAbout<Function, const Object&> || internal::AsksAbout<Function, const ObjectPtr&>) WaitCondition
    When(std::string description, Function function) {
  return WaitCondition(std::move(description), [f = std::move(function)](const ObjectPtr& object) -> Result<bool> {
    if constexpr (internal::AsksAbout<Function, const Object&>) {
      if (object == nullptr) return false;
      return f(*object);
    } else {
      return f(object);
    }
  });
}

/// The same on a typed view: asked with `const T&` only where the object exists, with `const T*` always; null then
/// means that it does not exist. An object of another kind is an error.
template <ObjectView T, typename Function>
requires(internal::AsksAbout<Function, const T&> || internal::AsksAbout<Function, const T*>) WaitCondition
    When(std::string description, Function function) {
  return WaitCondition(std::move(description), [f = std::move(function)](const ObjectPtr& object) -> Result<bool> {
    std::optional<T> view;
    if (object != nullptr) {
      Result<T> seen = T::From(object);
      if (!seen) return std::move(seen).error();
      view.emplace(*seen);
    }
    if constexpr (internal::AsksAbout<Function, const T&>) {
      if (!view) return false;
      return f(*view);
    } else {
      return f(view ? &*view : nullptr);
    }
  });
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_CONDITION_H_
