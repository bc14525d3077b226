#ifndef KINFORMER_STORE_LISTER_H_
#define KINFORMER_STORE_LISTER_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/selector.h>
#include <kinformer/store/indexer.h>
#include <kinformer/views/view.h>

namespace kinformer {
namespace internal {
/// As a server's 404; `info` may be empty.
Error NotInCache(const KindInfo& info, std::string_view namespace_name, std::string_view name);
}  // namespace internal

/// Reads of a cache, for objects of any kind. Cheap to copy; holds the cache, not the informer that fills it.
///
/// @par Thread Safety
/// All functions may be called from any thread, handlers included.
class Lister {
 public:
  explicit Lister(std::shared_ptr<const Indexer> indexer) : indexer_(std::move(indexer)) {}

  /// An error as a server's 404 (IsNotFound) if it is not in the cache.
  Result<ObjectPtr> Get(std::string_view namespace_name, std::string_view name) const;
  std::vector<ObjectPtr> List(const LabelSelector& selector = LabelSelector::Everything()) const;
  /// "": of all namespaces.
  std::vector<ObjectPtr> List(std::string_view namespace_name,
                              const LabelSelector& selector = LabelSelector::Everything()) const;
  /// Empty if there is no such index or nothing under that value.
  std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view value) const;
  /// Those that match all of them; empty if one of them names no index.
  std::vector<ObjectPtr> ByIndexes(std::vector<IndexLookup> lookups) const;
  std::size_t Size() const { return indexer_->Size(); }

 private:
  std::shared_ptr<const Indexer> indexer_;
};

/// The same, objects seen as Ts. What the cache holds is of that kind: its informer sees to it.
template <ObjectView T>
class TypedLister {
 public:
  explicit TypedLister(Lister untyped) : untyped_(std::move(untyped)) {}

  Result<T> Get(std::string_view namespace_name, std::string_view name) const {
    Result<ObjectPtr> object = untyped_.Get(namespace_name, name);
    if (!object) return internal::NotInCache(T::kInfo, namespace_name, name);
    return T(*std::move(object));
  }
  std::vector<T> List(const LabelSelector& selector = LabelSelector::Everything()) const {
    return See(untyped_.List(selector));
  }
  std::vector<T> List(std::string_view namespace_name,
                      const LabelSelector& selector = LabelSelector::Everything()) const {
    return See(untyped_.List(namespace_name, selector));
  }
  std::vector<T> ByIndex(std::string_view index, std::string_view value) const {
    return See(untyped_.ByIndex(index, value));
  }
  std::vector<T> ByIndexes(std::vector<IndexLookup> lookups) const {
    return See(untyped_.ByIndexes(std::move(lookups)));
  }
  std::size_t Size() const { return untyped_.Size(); }
  const Lister& Untyped() const { return untyped_; }

 private:
  static std::vector<T> See(std::vector<ObjectPtr> objects) {
    std::vector<T> views;
    views.reserve(objects.size());
    for (ObjectPtr& object : objects) views.emplace_back(std::move(object));
    return views;
  }

  Lister untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_STORE_LISTER_H_
