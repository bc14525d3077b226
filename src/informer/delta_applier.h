#ifndef KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_
#define KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_

// In:     deltas, in the server's order
// Out:    an Indexer that has them, and what to tell the handlers
// Thread: the caller's, which must be the Indexer's one writer: the informer's cache queue
// Next:   InformerCore, which passes the notifications on to its SharedProcessor

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/store/indexer.h>

#include "src/delta/delta_fifo.h"
#include "src/processor/notification.h"

namespace kinformer::internal {

/// Brings deltas into the cache and says what that meant for each object. An object for which an index function fails
/// is left out alone, and `on_error` is told.
class DeltaApplier {
 public:
  /// The indexer must outlive it.
  DeltaApplier(Indexer& indexer, std::function<void(const Error&)> on_error);

  /// What a source has listed takes the place of all that it answers for: `namespace_name`, or everything if that is
  /// empty. `initial`: its first list. Objects that are gone come first, their final state unknown.
  std::vector<Notification> Replace(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                    const std::string& resource_version, bool initial);
  /// Adds, updates and deletes, and a bookmark, as DeltaFifo::TakeBatch gives them.
  std::vector<Notification> Apply(std::span<const Delta> events);
  /// Every object once more.
  std::vector<Notification> Resync() const;

 private:
  Result<std::vector<StoreChange>> Store(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                         const std::string& resource_version);
  Result<std::vector<StoreChange>> StoreNamespace(const std::string& namespace_name, std::vector<ObjectPtr> objects);

  Indexer& indexer_;
  const std::function<void(const Error&)> on_error_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_
