#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_BACKEND_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_BACKEND_H_

// In:     keys and bytes
// Out:    see Backend
// Thread: the caller's; once started, one of its own for expiry and compaction
// Next:   ObjectStorage

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <kinformer/base/clock.h>

#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/backend_faults.h"

namespace kinformer::apiserver {

struct MemoryBackendOptions {
  std::shared_ptr<const Clock> clock = Clock::System();
  /// At this interval all changes older than one interval are compacted, and all watches report their progress. Zero:
  /// never.
  std::chrono::milliseconds compaction_interval = std::chrono::minutes(5);
  /// Memory limit for overwritten and deleted values; beyond it the oldest are compacted early.
  std::size_t max_history_bytes = std::size_t{256} << 20U;
};

struct MemoryBackendStats {
  std::size_t keys = 0;
  /// Changes that watches can still read.
  std::size_t log_entries = 0;
  std::size_t history_bytes = 0;
  std::size_t open_watches = 0;
  std::uint64_t gets = 0;
  std::uint64_t ranges = 0;
  std::uint64_t writes = 0;
};

/// A Backend in this process's memory: a map of keys to their versions, and a log of changes that watches read in
/// place. Revisions start at 1, when it is empty; each write takes the next.
///
/// The constructor starts nothing. Without Start, expired keys are removed only by the next call, and nothing is
/// compacted periodically.
///
/// @par Thread Safety
/// All functions may be called from any thread. Watches may outlive it; they then end with kDisconnected.
class MemoryBackend final : public Backend {
 public:
  explicit MemoryBackend(MemoryBackendOptions options = {});
  ~MemoryBackend() override;
  MemoryBackend(const MemoryBackend&) = delete;
  MemoryBackend& operator=(const MemoryBackend&) = delete;

  /// Starts the thread for expiry and compaction. Call once.
  void Start();

  Result<WriteOutcome> Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                           const std::stop_token& stop) override;
  Result<WriteOutcome> Delete(const std::string& key, Revision replaces, const std::stop_token& stop) override;
  Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key,
                                                           const std::stop_token& stop) override;
  Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) override;
  Result<Revision> CurrentRevision(const std::stop_token& stop) override;
  std::unique_ptr<BackendWatch> Watch(const std::string& prefix, Revision after) override;
  void RequestProgress() override;
  bool ProgressIsReliable() const override { return true; }
  Result<void> Compact(Revision revision, const std::stop_token& stop) override;

  /// For tests and fault injection: makes the storage unavailable. All watches end with kDisconnected, and calls fail
  /// with kUnreachable until Resume. No data is lost.
  void Interrupt();
  void Resume();
  /// For fault injection: deletes everything and restarts revisions at 1. All watches end with 410 Expired.
  void Wipe();
  /// Called before and after every Put, Delete, Get and Range, and before every Watch (an error ends the watch), on the
  /// caller's thread with no lock held. An empty function removes the hook.
  using FaultHook = BackendFaults::Hook;
  void InjectFaults(FaultHook hook);

  MemoryBackendStats Stats() const;

 private:
  class Core;
  class WatchStream;
  std::shared_ptr<Core> core_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_BACKEND_H_
