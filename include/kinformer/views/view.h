#ifndef KINFORMER_VIEWS_VIEW_H_
#define KINFORMER_VIEWS_VIEW_H_

#include <cassert>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>
#include <kinformer/views/lens.h>

namespace kinformer {

/// What all typed views share: the object they look at, which is never null, and its metadata.
class ViewBase {
 public:
  // Copies and no moves, so that a view always has its object.
  ViewBase(const ViewBase&) = default;
  ViewBase& operator=(const ViewBase&) = default;

  std::string_view Name() const { return object_->Name(); }
  std::string_view Namespace() const { return object_->Namespace(); }
  NamespacedName Key() const { return object_->Key(); }
  std::string_view Uid() const { return object_->Uid(); }
  std::string_view ResourceVersion() const { return object_->ResourceVersion(); }
  std::int64_t Generation() const { return object_->Generation(); }
  const StringMap& Labels() const { return object_->Labels(); }
  const StringMap& Annotations() const { return object_->Annotations(); }
  const std::vector<OwnerReference>& OwnerReferences() const { return object_->OwnerReferences(); }
  /// The owner that controls this object, if one does.
  std::optional<OwnerReference> ControllerReference() const;
  const std::vector<std::string_view>& Finalizers() const { return object_->Finalizers(); }
  bool HasFinalizer(std::string_view finalizer) const;
  std::optional<Timestamp> CreationTimestamp() const;
  std::optional<Timestamp> DeletionTimestamp() const;
  /// Deleted, but still there until its finalizers are gone or its grace period is over.
  bool IsBeingDeleted() const { return object_->DeletionTimestamp().has_value(); }

  /// `status.conditions`, where kinds have them by convention.
  std::vector<Condition> Conditions() const;
  bool HasTrueCondition(std::string_view type) const;

  /// Any field, by RFC 6901 pointer; valid while the object lives.
  Value At(std::string_view pointer) const { return object_->At(pointer); }
  std::string_view Json() const { return object_->Json(); }
  nlohmann::json ToJson() const;
  const ObjectPtr& object() const { return object_; }

  /// The same version of the same object.
  friend bool operator==(const ViewBase& a, const ViewBase& b) {
    return a.object_ == b.object_ || (!a.Uid().empty() && !a.ResourceVersion().empty() && a.Uid() == b.Uid() &&
                                      a.ResourceVersion() == b.ResourceVersion());
  }

 protected:
  explicit ViewBase(ObjectPtr object) : object_(std::move(object)) { assert(object_ != nullptr); }
  ~ViewBase() = default;

  static Result<void> CheckKind(const ObjectPtr& object, const KindInfo& info);

 private:
  ObjectPtr object_;
};

/// A typed view (a lens) on an object: names for its fields, and nothing is lost that it has no name for. Cheap to
/// copy; it shares the object. A kind of your own, for example of a custom resource:
///
///     struct Web : ki::View<Web> {
///       using View::View;
///       static constexpr ki::KindInfo kInfo{"example.com", "v1", "Web", "webs"};
///       std::int64_t Size() const { return At("/spec/size").IntOr(1); }
///     };
///
/// Texts and Values that it hands out are valid while the object lives, which every view and lens on it ensures.
///
/// @par Thread Safety
/// Immutable; any thread.
template <typename Derived>
class View : public ViewBase {
 public:
  /// Precondition: `object` is not null and of this kind. Where you are not sure, use From.
  explicit View(ObjectPtr object) : ViewBase(std::move(object)) {}

  /// kInvalidArgument where the object is null or of another kind.
  static Result<Derived> From(ObjectPtr object) {
    if (auto same_kind = CheckKind(object, Derived::kInfo); !same_kind) return std::move(same_kind).error();
    return Derived(std::move(object));
  }
};

/// A typed view of a kind: derived from View, and knows its kind.
template <typename T>
concept ObjectView = std::derived_from<T, View<T>> && std::constructible_from<T, ObjectPtr> && requires {
  { T::kInfo } -> std::convertible_to<KindInfo>;
};

}  // namespace kinformer

#endif  // KINFORMER_VIEWS_VIEW_H_
