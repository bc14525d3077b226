#ifndef KINFORMER_SRC_STORE_INDEXER_H_
#define KINFORMER_SRC_STORE_INDEXER_H_

// In:     deltas, from the informer's single writer
// Out:    objects, to any number of readers
// Thread: any; readers never wait for user code
// Next:   listers, handlers

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/store/index.h>

#include "src/reflector/delta.h"

namespace kinformer {

/// What Indexer::Replace did.
struct Replaced {
  /// Objects that are gone. One replaced by another of the same name counts: its uid is gone.
  std::vector<ObjectPtr> removed{};
  /// The new contents, in the order given, and the previous state of each; null: it is new.
  std::vector<ObjectPtr> objects{};
  std::vector<ObjectPtr> previous{};
};

/// The cache of one informer: objects by namespace and name, and by named indices.
///
/// Objects are shared and immutable; a list is a consistent snapshot. Index functions are user code. They run on the
/// writing thread (or on the thread that adds the index), never under a lock. They may read this store, which still
/// shows the state before the write, and add indices; they must not write. If a function throws for an object, the
/// object is stored but not filed in that index.
///
/// @par Thread Safety
/// Reads and AddIndexer: from any thread. Writes: from one thread at a time.
class Indexer {
 public:
  /// `on_index_error` is called on the writing thread after the write, without a lock, once per write for each index
  /// whose function threw.
  explicit Indexer(std::function<void(const Error&)> on_index_error = {});
  ~Indexer();
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  /// Null if not found.
  ObjectPtr Get(std::string_view namespace_name, std::string_view name) const;
  /// Order is unspecified, here and in all other lists.
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> ListNamespace(std::string_view namespace_name) const;
  /// kInvalidArgument if the index does not exist.
  Result<std::vector<ObjectPtr>> ByIndex(std::string_view index, std::string_view value) const;
  /// The objects that match all lookups, in one snapshot; all objects if `lookups` is empty. kInvalidArgument if an
  /// index does not exist.
  Result<std::vector<ObjectPtr>> ByIndexes(std::span<const IndexLookup> lookups) const;
  /// The values with at least one object, sorted.
  Result<std::vector<std::string>> IndexValues(std::string_view index) const;
  /// kNamespaceIndex, then the others in the order they were added.
  std::vector<std::string> IndexNames() const;
  std::size_t Size() const;
  /// The resource version this store reflects; "" before the first write.
  std::string ResourceVersion() const;

  /// Builds the index over all stored objects and returns once it is complete; it is not visible before. Writes proceed
  /// meanwhile. Duplicate values from the function count once. kInvalidArgument if the name is taken; kInternal if the
  /// function throws for a stored object. The index is not added on error.
  Result<void> AddIndexer(std::string name, IndexFunction function);

  // Writer interface.

  /// Applies a batch of kAdd, kUpdate, kDelete, kDrop and kBookmark as one transaction: readers see all of it or none.
  /// Returns the previous state of each delta's object, in order; null if there was none, and for bookmarks. The
  /// previous object may have another uid. The store's resource version becomes that of the last object, removed ones
  /// included, or bookmark; empty versions are ignored. kInvalidArgument, and no change, for any other delta.
  Result<std::vector<ObjectPtr>> Apply(std::span<const internal::Delta> deltas);
  /// Replaces the whole contents atomically. If several objects have the same name, the last one wins.
  Result<Replaced> Replace(std::vector<ObjectPtr> objects, std::string resource_version);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_STORE_INDEXER_H_
