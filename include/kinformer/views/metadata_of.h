#ifndef KINFORMER_VIEWS_METADATA_OF_H_
#define KINFORMER_VIEWS_METADATA_OF_H_

#include <utility>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/views/view.h>

namespace kinformer {

/// The metadata of a T, as returned by metadata-only informers and clients, for a fraction of the memory and traffic.
///
///     auto pods = factory.ForMetadata<Pod>();  // SharedIndexInformer<MetadataOf<Pod>>
///
/// It has only T's metadata accessors, so that a field that was not read cannot be mistaken for one that is not set.
///
/// @par Thread Safety
/// Immutable; any thread.
template <typename T>
class MetadataOf : public ViewBase {
 public:
  static_assert(FullView<T>);
  static constexpr KindInfo kInfo = T::kInfo;

  /// Precondition: `object` is not null and is the metadata of a T. If you are not sure, use From.
  explicit MetadataOf(ObjectPtr object) : ViewBase(std::move(object)) {}
  /// From a whole object.
  MetadataOf(const T& whole) : ViewBase(whole.object()) {}  // NOLINT(google-explicit-constructor)

  /// kInvalidArgument if the object is null, or is whole and not a T. A PartialObjectMetadata does not name its kind
  /// and is not checked.
  static Result<MetadataOf> From(ObjectPtr object) {
    if (auto checked = CheckKindOfMetadata(object, kInfo); !checked) return std::move(checked).error();
    return MetadataOf(std::move(object));
  }
};

}  // namespace kinformer

#endif  // KINFORMER_VIEWS_METADATA_OF_H_
