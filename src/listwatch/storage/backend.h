#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_H_

// In:     keys and bytes
// Out:    revisions, ranges at a revision, and every change in order
// Thread: calls block; watches are pulled
// Next:   ObjectStorage, which stores objects as bytes

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer::apiserver {

/// Numbers the writes of a backend: every write has its own revision, and later ones are greater. Zero: none.
using Revision = std::int64_t;
/// A stored value.
using Bytes = std::shared_ptr<const std::string_view>;
/// A copy of the text. One allocation from a size-class free list (TakeBlock), since each write frees a value written
/// long before, on another thread.
Bytes MakeBytes(std::string_view text);

struct KeyValue {
  std::string key{};
  Bytes value{};
  Revision create_revision = 0;
  Revision mod_revision = 0;
};

/// Result of a conditional write.
struct WriteOutcome {
  /// The write's revision, if it was made.
  Revision revision = 0;
  /// Set if the write was not made because its precondition failed: what the key holds. Null value: the key does not
  /// exist.
  std::optional<KeyValue> current{};

  bool Written() const { return !current; }
};

struct RangeQuery {
  /// A whole key, or a prefix that ends in '/'.
  std::string prefix{};
  /// First key to return, inclusive; empty: from the beginning.
  std::string start{};
  /// Maximum number of keys; zero: no limit. The backend may return fewer, see RangeResult::count.
  std::int64_t limit = 0;
  /// The revision to read at; zero: the current one.
  Revision revision = 0;
};

struct RangeResult {
  /// In key order.
  std::vector<KeyValue> items{};
  /// The revision that was read: RangeQuery::revision, or the current one if that was zero.
  Revision revision = 0;
  /// Number of keys from `start` on, regardless of the limit. If greater than items.size(), the range continues after
  /// the last item, even if fewer than `limit` were returned.
  std::int64_t count = 0;
};

struct BackendEvent {
  enum class Kind { kPut, kDelete };
  Kind kind = Kind::kPut;
  /// For a deletion or expiry: only key and mod_revision, which is the revision of the deletion.
  KeyValue now{};
  /// The previous value; nullopt if there was none.
  std::optional<KeyValue> before{};
};

struct BackendEvents {
  std::vector<BackendEvent> events{};
  /// All changes up to this revision have been delivered. Greater than that of the last event if the backend reported
  /// progress.
  Revision revision = 0;
};
/// Ends only with an error: kServer 410 Expired if the changes cannot be delivered (the revision has been compacted, or
/// they are too large), kDisconnected or kUnreachable if the backend is lost.
class BackendWatch : public PullStream<BackendEvents> {
 public:
  /// Whether the backend has accepted the watch, as of the last TryNext. False while it is being set up, or if that
  /// failed.
  virtual bool Accepted() const { return true; }
};

/// A versioned map of bytes with a log of its changes: in memory, or an etcd.
///
/// Errors: a compacted revision is kServer 410 "Expired"; a future revision is kServer 504 "Timeout" with the cause
///         ResourceVersionTooLarge; an unavailable backend is kUnreachable or kDisconnected, in which case a write may
///         have been made nevertheless.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Backend {
 public:
  virtual ~Backend() = default;

  /// `replaces`: the mod_revision that the key must have; zero: the key must not exist. `ttl`: time until the key is
  /// deleted; zero: never.
  virtual Result<WriteOutcome> Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                                   const std::stop_token& stop) = 0;
  virtual Result<WriteOutcome> Delete(const std::string& key, Revision replaces, const std::stop_token& stop) = 0;
  /// nullopt if the key does not exist. The second value is the backend's revision at the time of the read.
  virtual Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key,
                                                                   const std::stop_token& stop) = 0;
  virtual Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) = 0;
  /// Non-blocking Range, for tasks on a pool. The stream has one part, the result. The default implementation calls
  /// Range in TryNext, which suits backends in memory. The stream must not outlive the backend.
  virtual std::unique_ptr<PullStream<RangeResult>> StartRange(RangeQuery query);
  virtual Result<Revision> CurrentRevision(const std::stop_token& stop) = 0;

  /// Every change after `after` below `prefix` (or of that key), in revision order. Does not block.
  virtual std::unique_ptr<BackendWatch> Watch(const std::string& prefix, Revision after) = 0;
  /// Asks all watches to report their progress soon, even if there are no changes.
  virtual void RequestProgress() = 0;
  /// Whether progress can be requested and trusted. If not, consistent lists read from the backend.
  virtual bool ProgressIsReliable() const = 0;

  /// Drops the values that were overwritten or deleted up to this revision.
  virtual Result<void> Compact(Revision revision, const std::stop_token& stop) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_H_
