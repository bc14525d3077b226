#ifndef KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_
#define KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_

// In:     deltas, in server order
// Out:    an updated Indexer, and the notifications for the handlers
// Thread: the caller's, which must be the Indexer's single writer: the informer's cache queue
// Next:   InformerCore, which passes the notifications on to its SharedProcessor

#include <span>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

#include "src/delta/delta_fifo.h"
#include "src/processor/notification.h"
#include "src/store/indexer.h"

namespace kinformer::internal {

/// Applies deltas to the cache and returns the resulting notifications.
class DeltaApplier {
 public:
  /// The indexer must outlive it.
  explicit DeltaApplier(Indexer& indexer) : indexer_(indexer) {}

  /// Replaces everything the source is responsible for: `namespace_name`, or the whole cache if empty. `initial`: the
  /// source's first list. Deletions come first, with final_state_unknown set.
  std::vector<Notification> Replace(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                    const std::string& resource_version, bool initial);
  /// Applies adds, updates, deletes and a bookmark, in the form DeltaFifo::TakeBatch returns them.
  std::vector<Notification> Apply(std::span<const Delta> events);
  /// A kSync notification for every object.
  std::vector<Notification> Resync() const;

 private:
  Replaced ReplaceNamespace(const std::string& namespace_name, std::vector<ObjectPtr> objects);

  Indexer& indexer_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_DELTA_APPLIER_H_
