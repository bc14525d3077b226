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

/// The base of all typed views: the object, which is never null, and its metadata.
///
/// Derive from View instead; MetadataOf is the only other view.
class ViewBase {
 public:
  // Copyable but not movable, so that a view always has its object.
  ViewBase(const ViewBase&) = default;
  ViewBase& operator=(const ViewBase&) = default;

  std::string_view Name() const& { return object_->Name(); }
  std::string_view Name() const&& = delete;
  std::string_view Namespace() const& { return object_->Namespace(); }
  std::string_view Namespace() const&& = delete;
  NamespacedName Key() const { return object_->Key(); }
  std::string_view Uid() const& { return object_->Uid(); }
  std::string_view Uid() const&& = delete;
  std::string_view ResourceVersion() const& { return object_->ResourceVersion(); }
  std::string_view ResourceVersion() const&& = delete;
  std::int64_t Generation() const { return object_->Generation(); }
  const StringMap& Labels() const& { return object_->Labels(); }
  const StringMap& Labels() const&& = delete;
  const StringMap& Annotations() const& { return object_->Annotations(); }
  const StringMap& Annotations() const&& = delete;
  const std::vector<OwnerReference>& OwnerReferences() const& { return object_->OwnerReferences(); }
  const std::vector<OwnerReference>& OwnerReferences() const&& = delete;
  /// The owner reference with `controller: true`, if there is one.
  std::optional<OwnerReference> ControllerReference() const&;
  std::optional<OwnerReference> ControllerReference() const&& = delete;
  const std::vector<std::string_view>& Finalizers() const& { return object_->Finalizers(); }
  const std::vector<std::string_view>& Finalizers() const&& = delete;
  bool HasFinalizer(std::string_view finalizer) const;
  std::optional<Timestamp> CreationTimestamp() const;
  std::optional<Timestamp> DeletionTimestamp() const;
  /// Deleted, but still present until its finalizers are removed and its grace period is over.
  bool IsBeingDeleted() const { return object_->DeletionTimestamp().has_value(); }

  /// Any field, by RFC 6901 pointer; valid while the object lives.
  Value At(std::string_view pointer) const& { return object_->At(pointer); }
  Value At(std::string_view pointer) const&& = delete;
  std::string_view Json() const& { return object_->Json(); }
  std::string_view Json() const&& = delete;
  nlohmann::json ToJson() const;
  const ObjectPtr& object() const& { return object_; }
  ObjectPtr object() const&& { return object_; }

  /// True for the same version of the same object.
  friend bool operator==(const ViewBase& a, const ViewBase& b) {
    return a.object_ == b.object_ || (!a.Uid().empty() && !a.ResourceVersion().empty() && a.Uid() == b.Uid() &&
                                      a.ResourceVersion() == b.ResourceVersion());
  }

 protected:
  explicit ViewBase(ObjectPtr object) : object_(std::move(object)) { assert(object_ != nullptr); }
  ~ViewBase() = default;

  static Result<void> CheckKind(const ObjectPtr& object, const KindInfo& info);
  /// The same, but also accepts a PartialObjectMetadata, which does not name its kind.
  static Result<void> CheckKindOfMetadata(const ObjectPtr& object, const KindInfo& info);
  std::vector<Condition> ReadConditions() const;

 private:
  ObjectPtr object_;
};

/// A typed view (a lens) of an object: accessors for its fields; fields without an accessor are preserved. Cheap to
/// copy: views share the object. A view of your own kind, for example a custom resource:
///
///     struct Web : ki::View<Web> {
///       using View::View;
///       static constexpr ki::KindInfo kInfo{"example.com", "v1", "Web", "webs"};
///       std::int64_t Size() const { return At("/spec/size").IntOr(1); }
///     };
///
/// String views, Values and containers that it returns point into the object and are valid while it lives; every view
/// and lens keeps it alive. They cannot be taken from a temporary view, which may be the last owner: give the view a
/// name.
///
/// @par Thread Safety
/// Immutable; any thread.
template <typename Derived>
class View : public ViewBase {
 public:
  /// Precondition: `object` is not null and of this kind. If you are not sure, use From.
  explicit View(ObjectPtr object) : ViewBase(std::move(object)) {}

  /// kInvalidArgument if the object is null, of another kind, or metadata only (see MetadataOf).
  static Result<Derived> From(ObjectPtr object) {
    if (auto same_kind = CheckKind(object, Derived::kInfo); !same_kind) return std::move(same_kind).error();
    return Derived(std::move(object));
  }

  /// `status.conditions`, for kinds that follow the convention.
  std::vector<Condition> Conditions() const { return ReadConditions(); }
  bool HasTrueCondition(std::string_view type) const {
    const auto condition = FindCondition(ReadConditions(), type);
    return condition && condition->IsTrue();
  }
};

template <typename T>
class MetadataOf;
namespace internal {
template <typename T>
inline constexpr bool kIsMetadataOf = false;
template <typename T>
inline constexpr bool kIsMetadataOf<MetadataOf<T>> = true;
}  // namespace internal

/// A typed view of whole objects of a kind, derived from View.
template <typename T>
concept FullView = std::derived_from<T, View<T>> && std::constructible_from<T, ObjectPtr> && requires {
  { T::kInfo } -> std::convertible_to<KindInfo>;
};

/// A typed view of objects of a kind: whole, or metadata only (MetadataOf).
template <typename T>
concept ObjectView = internal::kIsMetadataOf<T> || FullView<T>;

}  // namespace kinformer

#endif  // KINFORMER_VIEWS_VIEW_H_
