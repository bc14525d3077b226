#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTOR_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTOR_H_

// In:     the current time
// Out:    compactions of a Backend, which several servers may share
// Thread: one of its own, once started
// Next:   Backend

#include <chrono>
#include <memory>
#include <thread>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

struct CompactorOptions {
  std::chrono::milliseconds interval = std::chrono::minutes(5);
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// Compacts as kube-apiserver does: every interval, to the revision of one interval ago. Of the servers that share the
/// backend, only the one that succeeds in updating the key "compact_rev_key" compacts. Not needed for a MemoryBackend.
///
/// @par Thread Safety
/// Call Start once; the destructor stops and joins.
class Compactor {
 public:
  explicit Compactor(std::shared_ptr<Backend> backend, CompactorOptions options = {});
  ~Compactor();
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  void Start();

  /// One iteration, as Start does every interval. Not while started.
  Result<void> RunOnce(const std::stop_token& stop);

 private:
  const std::shared_ptr<Backend> backend_;
  const CompactorOptions options_;
  Revision key_revision_ = 0;  ///< mod_revision of the key, as last seen by this server.
  Revision seen_ = 0;          ///< The backend's revision at the last iteration.
  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTOR_H_
