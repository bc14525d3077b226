#ifndef KINFORMER_STORE_LISTER_H_
#define KINFORMER_STORE_LISTER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/selector.h>
#include <kinformer/store/index.h>
#include <kinformer/views/view.h>

namespace kinformer {

class Indexer;

namespace internal {
/// Like a server's 404; `info` may be empty.
Error NotInCache(const KindInfo& info, const NamespacedName& key);
}  // namespace internal

/// Read access to a cache, for objects of any kind. Cheap to copy. A lister of an informer keeps that informer running.
///
/// @par Thread Safety
/// All functions may be called from any thread, handlers included.
class Lister {
 public:
  explicit Lister(std::shared_ptr<const Indexer> indexer);
  // Copyable but not movable, so that a lister always has a cache.
  Lister(const Lister&) noexcept = default;
  Lister& operator=(const Lister&) noexcept = default;

  /// If the object is not in the cache, returns an error like a server's 404 (IsNotFound).
  Result<ObjectPtr> Get(const NamespacedName& key) const;
  /// Null if the object is not in the cache.
  ObjectPtr Find(const NamespacedName& key) const;
  std::vector<ObjectPtr> List(const LabelSelector& selector = LabelSelector::Everything()) const;
  /// "": all namespaces.
  std::vector<ObjectPtr> List(std::string_view namespace_name,
                              const LabelSelector& selector = LabelSelector::Everything()) const;
  /// kInvalidArgument if there is no such index; the message names those that exist.
  Result<std::vector<ObjectPtr>> ByIndex(std::string_view index, std::string_view value) const;
  /// The objects that match all lookups, in one snapshot; all objects if there are no lookups. kInvalidArgument as for
  /// ByIndex.
  Result<std::vector<ObjectPtr>> ByIndexes(const std::vector<IndexLookup>& lookups) const;
  std::size_t Size() const;

 private:
  std::shared_ptr<const Indexer> indexer_;
};

/// A Lister whose objects are Ts. The informer ensures that its cache holds only objects of that kind.
template <ObjectView T>
class TypedLister {
 public:
  explicit TypedLister(const Lister& untyped) : untyped_(untyped) {}

  Result<T> Get(const NamespacedName& key) const {
    ObjectPtr object = untyped_.Find(key);
    if (object == nullptr) return internal::NotInCache(T::kInfo, key);
    return T(std::move(object));
  }
  std::optional<T> Find(const NamespacedName& key) const {
    ObjectPtr object = untyped_.Find(key);
    if (object == nullptr) return std::nullopt;
    return T(std::move(object));
  }
  std::vector<T> List(const LabelSelector& selector = LabelSelector::Everything()) const {
    return ToViews(untyped_.List(selector));
  }
  std::vector<T> List(std::string_view namespace_name,
                      const LabelSelector& selector = LabelSelector::Everything()) const {
    return ToViews(untyped_.List(namespace_name, selector));
  }
  Result<std::vector<T>> ByIndex(std::string_view index, std::string_view value) const {
    return ToViews(untyped_.ByIndex(index, value));
  }
  Result<std::vector<T>> ByIndexes(const std::vector<IndexLookup>& lookups) const {
    return ToViews(untyped_.ByIndexes(lookups));
  }
  std::size_t Size() const { return untyped_.Size(); }
  const Lister& Untyped() const& { return untyped_; }
  Lister Untyped() const&& { return untyped_; }

 private:
  static Result<std::vector<T>> ToViews(Result<std::vector<ObjectPtr>> objects) {
    if (!objects) return std::move(objects).error();
    return ToViews(*std::move(objects));
  }
  static std::vector<T> ToViews(std::vector<ObjectPtr> objects) {
    std::vector<T> views;
    views.reserve(objects.size());
    for (ObjectPtr& object : objects) views.emplace_back(std::move(object));
    return views;
  }

  Lister untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_STORE_LISTER_H_
