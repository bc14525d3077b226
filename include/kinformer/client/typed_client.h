#ifndef KINFORMER_CLIENT_TYPED_CLIENT_H_
#define KINFORMER_CLIENT_TYPED_CLIENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include <kinformer/base/result.h>
#include <kinformer/client/object_arg.h>
#include <kinformer/client/options.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/selection.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/object_list.h>
#include <kinformer/meta/list.h>
#include <kinformer/meta/names.h>
#include <kinformer/views/metadata_of.h>
#include <kinformer/views/view.h>

namespace kinformer {

/// A ResourceClient for a typed view: the same operations, with objects as Ts. Cheap to copy.
///
///     auto web = client.For<ki::apps::v1::Deployment>().Get({"default", "web"});
///
/// kInvalidArgument if the response is of another kind. For subresources that are not Ts (`scale`, `eviction`), use
/// Untyped().
///
/// @par Thread Safety
/// All functions may be called from any thread.
template <ObjectView T>
class TypedClient {
 public:
  explicit TypedClient(const ResourceClient& untyped) : untyped_(untyped) {}

  const ResourceClient& Untyped() const& { return untyped_; }
  ResourceClient Untyped() const&& { return untyped_; }
  const Resource& resource() const& { return untyped_.resource(); }
  Resource resource() const&& { return untyped_.resource(); }

  /// The same resource, but requests only metadata.
  TypedClient<MetadataOf<T>> Metadata() const requires FullView<T> {
    return TypedClient<MetadataOf<T>>(untyped_.MetadataOnly());
  }

  Result<T> Get(const NamespacedName& name, const GetOptions& options = {}, const std::stop_token& stop = {}) const {
    return ToView(untyped_.Get(name, options, stop));
  }

  Result<ListOf<T>> List(const Selection& selection = {}, const ListOptions& options = {},
                         const std::stop_token& stop = {}) const {
    return ToViews(untyped_.List(selection, options, stop));
  }
  Result<ListOf<T>> ListPage(const Selection& selection = {}, const ListOptions& options = {},
                             const std::stop_token& stop = {}) const {
    return ToViews(untyped_.ListPage(selection, options, stop));
  }
  /// Objects of another kind are skipped; the first such error is returned at the end.
  Result<ListMeta> ForEach(const std::function<void(const T&)>& each, const Selection& selection = {},
                           const ListOptions& options = {}, const std::stop_token& stop = {}) const {
    std::optional<Error> wrong;
    Result<ListMeta> metadata = untyped_.ForEach(
        [&](const ObjectPtr& object) {
          if (Result<T> item = T::From(object)) {
            each(*item);
          } else if (!wrong) {
            wrong = std::move(item).error();
          }
        },
        selection, options, stop);
    if (metadata && wrong) return *std::move(wrong);
    return metadata;
  }

  Result<T> Create(const ObjectArg& object, const WriteOptions& options = {}, const std::stop_token& stop = {}) const {
    return ToView(untyped_.Create(object, options, stop));
  }
  Result<T> Update(const ObjectArg& object, const WriteOptions& options = {}, const std::stop_token& stop = {}) const {
    return ToView(untyped_.Update(object, options, stop));
  }
  Result<T> UpdateStatus(const ObjectArg& object, const WriteOptions& options = {},
                         const std::stop_token& stop = {}) const {
    return ToView(untyped_.UpdateStatus(object, options, stop));
  }
  Result<T> Patch(const NamespacedName& name, PatchType type, std::string_view patch, const WriteOptions& options = {},
                  const std::stop_token& stop = {}) const {
    return ToView(untyped_.Patch(name, type, patch, options, stop));
  }
  Result<T> Apply(const ObjectArg& object, const ApplyOptions& options, const std::stop_token& stop = {}) const {
    return ToView(untyped_.Apply(object, options, stop));
  }
  /// Returns the Scale object, which is not a T.
  Result<ObjectPtr> ScaleTo(const NamespacedName& name, std::int64_t replicas, const WriteOptions& options = {},
                            const std::stop_token& stop = {}) const {
    return untyped_.ScaleTo(name, replicas, options, stop);
  }

  Result<DeleteResult> Delete(const NamespacedName& name, const DeleteOptions& options = {},
                              const std::stop_token& stop = {}) const {
    return untyped_.Delete(name, options, stop);
  }
  Result<void> DeleteCollection(const Selection& selection, const DeleteOptions& options = {},
                                const std::stop_token& stop = {}) const {
    return untyped_.DeleteCollection(selection, options, stop);
  }

  Result<TypedWatchStream<T>> Watch(const Selection& selection = {}, const WatchOptions& options = {},
                                    const std::stop_token& stop = {}) const {
    Result<WatchStream> stream = untyped_.Watch(selection, options, stop);
    if (!stream) return std::move(stream).error();
    return TypedWatchStream<T>(*std::move(stream));
  }

 private:
  static Result<T> ToView(Result<ObjectPtr> object) {
    if (!object) return std::move(object).error();
    return T::From(*std::move(object));
  }
  static Result<ListOf<T>> ToViews(Result<ObjectList> list) {
    if (!list) return std::move(list).error();
    ListOf<T> typed{.items = {}, .metadata = std::move(list->metadata)};
    typed.items.reserve(list->items.size());
    for (ObjectPtr& object : list->items) {
      Result<T> item = T::From(std::move(object));
      if (!item) return std::move(item).error();
      typed.items.push_back(*std::move(item));
    }
    return typed;
  }

  ResourceClient untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TYPED_CLIENT_H_
