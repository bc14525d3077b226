#ifndef KINFORMER_SRC_APISERVER_STORAGE_MEMORY_BACKEND_H_
#define KINFORMER_SRC_APISERVER_STORAGE_MEMORY_BACKEND_H_

// In:     keys and bytes
// Out:    as Backend says
// Thread: the caller's; one of its own for what happens at a time (expiry, compaction), once started
// Next:   ObjectStorage

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct MemoryBackendOptions {
  std::shared_ptr<const Clock> clock = Clock::System();
  /// Every so often, what was overwritten or deleted before the last such moment is forgotten, and all watches say how
  /// far they are. Zero: never.
  std::chrono::milliseconds compaction_interval = std::chrono::minutes(5);
  /// What was overwritten or deleted may take this much memory; beyond, the oldest is forgotten early.
  std::size_t max_history_bytes = std::size_t{256} << 20U;
};

/// One call of a Backend, as a fault hook sees it.
struct BackendCall {
  enum class Kind { kPut, kDelete, kGet, kRange, kWatch };
  /// An error given before the call takes the place of the call. One given after is all the caller sees of a call that
  /// was carried out: the reply that was lost.
  enum class Phase { kBefore, kAfter };
  Kind kind = Kind::kGet;
  Phase phase = Phase::kBefore;
  std::string_view key{};
};

struct MemoryBackendStats {
  std::size_t keys = 0;
  /// Changes that a watch could still begin before.
  std::size_t log_entries = 0;
  std::size_t history_bytes = 0;
  std::size_t open_watches = 0;
  std::uint64_t gets = 0;
  std::uint64_t ranges = 0;
  std::uint64_t writes = 0;
};

/// A Backend in this process's memory: a map of keys to their versions, and a log of changes which watches read where
/// it lies. Revisions begin at 1, with nothing in it, and each write takes the next.
///
/// The constructor starts nothing. Without Start, keys expire as soon as somebody calls, and nothing is compacted but
/// by max_history_bytes.
///
/// @par Thread Safety
/// All functions may be called from any thread. Watches may outlive it; they then end with kDisconnected.
class MemoryBackend final : public Backend {
 public:
  explicit MemoryBackend(MemoryBackendOptions options = {});
  ~MemoryBackend() override;
  MemoryBackend(const MemoryBackend&) = delete;
  MemoryBackend& operator=(const MemoryBackend&) = delete;

  /// Starts the thread that lets keys expire and compacts. Once.
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

  /// For tests and fault injection: the storage breaks. All watches end with kDisconnected, and calls fail with
  /// kUnreachable until Resume. Nothing that is stored is lost.
  void Interrupt();
  void Resume();
  /// For fault injection: everything is lost, and revisions begin anew. All watches end with 410 Expired.
  void Wipe();
  /// Asked around every call, on the caller's thread and without a lock; an empty function takes it out. Of a watch
  /// only the beginning counts, and an error ends it.
  using FaultHook = std::function<std::optional<Error>(const BackendCall&)>;
  void InjectFaults(FaultHook hook);

  MemoryBackendStats Stats() const;

 private:
  class Core;
  class WatchStream;
  std::shared_ptr<Core> core_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_MEMORY_BACKEND_H_
