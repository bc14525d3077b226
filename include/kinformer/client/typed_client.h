#ifndef KINFORMER_CLIENT_TYPED_CLIENT_H_
#define KINFORMER_CLIENT_TYPED_CLIENT_H_

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/views/view.h>

namespace kinformer {

template <ObjectView T>
struct TypedList {
  std::vector<T> items{};
  std::string resource_version{};
  std::string continue_token{};
  std::optional<std::int64_t> remaining_item_count{};
};

/// ResourceClient for one typed view: the same verbs, objects seen as Ts. Cheap to copy.
///
/// @par Thread Safety
/// All functions may be called from any thread.
template <ObjectView T>
class TypedClient {
 public:
  explicit TypedClient(ResourceClient untyped) : untyped_(std::move(untyped)) {}

  /// For what has no typed form: subresources, metadata only.
  const ResourceClient& Untyped() const { return untyped_; }

  Result<T> Get(std::string_view namespace_name, std::string_view name, const GetOptions& options = {},
                const std::stop_token& stop = {}) const {
    return See(untyped_.Get(namespace_name, name, options, stop));
  }

  Result<TypedList<T>> List(const ListOptions& options = {}, const std::stop_token& stop = {}) const {
    Result<ObjectList> list = untyped_.List(options, stop);
    if (!list) return std::move(list).error();
    TypedList<T> typed{.items = {},
                       .resource_version = std::move(list->resource_version),
                       .continue_token = std::move(list->continue_token),
                       .remaining_item_count = list->remaining_item_count};
    typed.items.reserve(list->items.size());
    for (ObjectPtr& object : list->items) {
      Result<T> item = T::From(std::move(object));
      if (!item) return std::move(item).error();
      typed.items.push_back(*std::move(item));
    }
    return typed;
  }

  Result<T> Create(const Object& object, const WriteOptions& options = {}, const std::stop_token& stop = {}) const {
    return See(untyped_.Create(object, options, stop));
  }
  Result<T> Update(const Object& object, const WriteOptions& options = {}, const std::stop_token& stop = {}) const {
    return See(untyped_.Update(object, options, stop));
  }
  Result<T> UpdateStatus(const Object& object, const WriteOptions& options = {},
                         const std::stop_token& stop = {}) const {
    return See(untyped_.UpdateStatus(object, options, stop));
  }
  Result<T> Patch(std::string_view namespace_name, std::string_view name, PatchType type, std::string_view patch,
                  const WriteOptions& options = {}, const std::stop_token& stop = {}) const {
    return See(untyped_.Patch(namespace_name, name, type, patch, options, stop));
  }
  Result<T> Apply(const Object& object, const ApplyOptions& options, const std::stop_token& stop = {}) const {
    return See(untyped_.Apply(object, options, stop));
  }
  Result<DeleteResult> Delete(std::string_view namespace_name, std::string_view name, const DeleteOptions& options = {},
                              const std::stop_token& stop = {}) const {
    return untyped_.Delete(namespace_name, name, options, stop);
  }
  Result<void> DeleteCollection(const ListOptions& which, const DeleteOptions& options = {},
                                const std::stop_token& stop = {}) const {
    return untyped_.DeleteCollection(which, options, stop);
  }
  Result<TypedWatchStream<T>> Watch(const WatchOptions& options = {}, const std::stop_token& stop = {}) const {
    Result<WatchStream> stream = untyped_.Watch(options, stop);
    if (!stream) return std::move(stream).error();
    return TypedWatchStream<T>(*std::move(stream));
  }

 private:
  static Result<T> See(Result<ObjectPtr> object) {
    if (!object) return std::move(object).error();
    return T::From(*std::move(object));
  }

  ResourceClient untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TYPED_CLIENT_H_
