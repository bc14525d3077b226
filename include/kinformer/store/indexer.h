#ifndef KINFORMER_STORE_INDEXER_H_
#define KINFORMER_STORE_INDEXER_H_

// In:     changes, from the one writer of an informer
// Out:    objects, to any number of readers
// Thread: any; readers never wait for user code
// Next:   listers, handlers

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

namespace kinformer {

/// The values under which an index files an object; none: it is not in that index.
using Keys = std::vector<std::string>;
using IndexFunction = std::function<Keys(const ObjectPtr&)>;

/// The index that every Indexer has: objects by their namespace, those of cluster-scoped kinds under "".
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// One condition of a lookup in several indices at once.
struct IndexLookup {
  std::string_view index{};
  std::string_view value{};
};

/// What a write did to one object: both set, an update; only one, an addition or a removal.
struct StoreChange {
  ObjectPtr before{};
  ObjectPtr after{};
};

/// The cache of one informer: objects by namespace and name, and by named indices.
///
/// Objects are shared and immutable; a list is a snapshot of one moment. Index functions are user code: they run on the
/// writing thread (or the thread that adds the index) and never under a lock, so they may read this very store and add
/// indices to it; what they read is the store before the write. One that throws fails the write (or the adding) with
/// kInternal, and the store stays as it was. They must not write.
///
/// @par Thread Safety
/// Reads and AddIndexer from any thread. Writes from one thread at a time.
class Indexer {
 public:
  Indexer();
  ~Indexer();
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  /// Null if it is not there.
  ObjectPtr Get(std::string_view namespace_name, std::string_view name) const;
  /// In no promised order, as all lists.
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> ListNamespace(std::string_view namespace_name) const;
  /// kInvalidArgument if there is no such index.
  Result<std::vector<ObjectPtr>> ByIndex(std::string_view index, std::string_view value) const;
  /// Those that match all of them, at one moment; everything if there are none. kInvalidArgument if one of them names
  /// no index.
  Result<std::vector<ObjectPtr>> ByIndexes(std::span<const IndexLookup> lookups) const;
  /// Values under which at least one object is filed, sorted.
  Result<std::vector<std::string>> IndexValues(std::string_view index) const;
  /// kNamespaceIndex, then the others as they were added.
  std::vector<std::string> IndexNames() const;
  std::size_t Size() const;
  /// The version of the server's state that this is a copy of; "" before the first write.
  std::string ResourceVersion() const;

  /// Files all objects that are there and all that come, and returns when that is done; until then there is no such
  /// index. The writer goes on meanwhile. Values that a function gives twice count once. kInvalidArgument if the name
  /// is taken.
  Result<void> AddIndexer(std::string name, IndexFunction function);

  // For the writer.

  /// Whether every index function gives its values for the object; one that throws would fail its write.
  bool CanBeFiled(const ObjectPtr& object) const;

  /// One event of a batch.
  struct Write {
    enum class Kind { kSet, kErase } kind = Kind::kSet;
    ObjectPtr object{};
  };
  /// Applies a batch as one transaction: readers see all of it or nothing. Returns what each write changed, in order
  /// (an erase of what is not there changed nothing: both null; an object of the same name but another uid is an
  /// update). The last object's version becomes the store's, also that of an erased one, or `resource_version` where it
  /// is given (a bookmark); an empty version moves nothing.
  Result<std::vector<StoreChange>> Apply(std::span<const Write> writes,
                                         std::optional<std::string> resource_version = {});
  /// Replaces all of it at once. Returns the removals first, then additions and updates in the order of `objects`; an
  /// object that was replaced by another of the same name but another uid comes as a removal and an addition; one that
  /// has not changed comes as an update. Of several with the same name the last one counts.
  Result<std::vector<StoreChange>> Replace(std::vector<ObjectPtr> objects, std::string resource_version);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_STORE_INDEXER_H_
