#ifndef KINFORMER_SRC_APISERVER_STORAGE_COMPACTOR_H_
#define KINFORMER_SRC_APISERVER_STORAGE_COMPACTOR_H_

// In:     the time
// Out:    compactions of a Backend that several servers may share
// Thread: one of its own, once started
// Next:   Backend

#include <chrono>
#include <memory>
#include <thread>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct CompactorOptions {
  std::chrono::milliseconds interval = std::chrono::minutes(5);
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// Compacts as kube-apiserver does: at every interval to the revision of one interval ago, and of all servers that
/// share the backend only the one that could move the key "compact_rev_key" does it. A MemoryBackend needs none.
///
/// @par Thread Safety
/// Start once; the destructor stops and joins.
class Compactor {
 public:
  explicit Compactor(std::shared_ptr<Backend> backend, CompactorOptions options = {});
  ~Compactor();
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  void Start();

  /// One turn of it; what Start does at every interval. Not while started.
  Result<void> RunOnce(const std::stop_token& stop);

 private:
  const std::shared_ptr<Backend> backend_;
  const CompactorOptions options_;
  Revision key_revision_ = 0;  ///< Of the key, as this server last knew it.
  Revision seen_ = 0;          ///< Where the backend was at the last turn.
  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_COMPACTOR_H_
