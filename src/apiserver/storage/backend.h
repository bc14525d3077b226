#ifndef KINFORMER_SRC_APISERVER_STORAGE_BACKEND_H_
#define KINFORMER_SRC_APISERVER_STORAGE_BACKEND_H_

// In:     keys and bytes
// Out:    revisions, ranges as of a revision, and every change in order
// Thread: calls block their caller; watches are pulled
// Next:   ObjectStorage, which knows that the bytes are objects

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

/// Counts the writes of a backend: every write has its own, and later ones are greater. Zero: none.
using Revision = std::int64_t;
/// A value as it is stored.
using Bytes = std::shared_ptr<const std::string_view>;
/// A copy of the text in one block, which the next value of its size takes over (TakeBlock): each write lets go of what
/// was written long before, on another thread.
Bytes MakeBytes(std::string_view text);

struct KeyValue {
  std::string key{};
  Bytes value{};
  Revision create_revision = 0;
  Revision mod_revision = 0;
};

/// What became of a write that names the revision which it replaces.
struct WriteOutcome {
  /// The write's own, if it was made.
  Revision revision = 0;
  /// Set if it was not made, because something else is there (or nothing: then its value is null).
  std::optional<KeyValue> current{};

  bool Written() const { return !current; }
};

struct RangeQuery {
  /// A whole key, or a prefix that ends in '/'.
  std::string prefix{};
  /// Go on from this key (inclusive); empty: from the beginning.
  std::string start{};
  /// Zero: all.
  std::int64_t limit = 0;
  /// As of then; zero: now.
  Revision revision = 0;
};

struct RangeResult {
  /// In the order of their keys.
  std::vector<KeyValue> items{};
  /// As of which; of the backend at that moment, where none was asked for.
  Revision revision = 0;
  /// All that there is from `start` on, whatever the limit.
  std::int64_t count = 0;
};

struct BackendEvent {
  enum class Kind { kPut, kDelete };
  Kind kind = Kind::kPut;
  /// Of a delete (or expiry) only key and mod_revision, the delete's own.
  KeyValue now{};
  /// What was there before.
  std::optional<KeyValue> before{};
};

struct BackendEvents {
  std::vector<BackendEvent> events{};
  /// Everything up to here has been told; greater than the last event's where the backend reported progress.
  Revision revision = 0;
};
/// Ends with an error only: kServer 410 Expired where the revision has been compacted, kDisconnected where the backend
/// went away.
using BackendWatch = PullStream<BackendEvents>;

/// A versioned map of bytes with a log of its changes: memory, or an etcd.
///
/// Errors: a revision that has been compacted is kServer 410 "Expired"; one that is not there yet is kServer 504
/// "Timeout" with the cause ResourceVersionTooLarge; a backend that cannot be reached is kUnreachable or kDisconnected,
/// and then a write may have been made all the same.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Backend {
 public:
  virtual ~Backend() = default;

  /// `replaces`: the mod_revision that must be there; zero: nothing may be there. `ttl`: after that it is deleted;
  /// zero: never.
  virtual Result<WriteOutcome> Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                                   const std::stop_token& stop) = 0;
  virtual Result<WriteOutcome> Delete(const std::string& key, Revision replaces, const std::stop_token& stop) = 0;
  /// nullopt if nothing is there. The second is the backend's revision at that moment.
  virtual Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key,
                                                                   const std::stop_token& stop) = 0;
  virtual Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) = 0;
  /// The same for tasks on a pool, which must not wait for a network: one part comes, the result. A backend that
  /// answers from memory may do its work in TryNext, as this one does. The stream must not outlive the backend.
  virtual std::unique_ptr<PullStream<RangeResult>> StartRange(RangeQuery query);
  virtual Result<Revision> CurrentRevision(const std::stop_token& stop) = 0;

  /// Every change after `after` below `prefix` (or of that one key), in the order of revisions. Does not block.
  virtual std::unique_ptr<BackendWatch> Watch(const std::string& prefix, Revision after) = 0;
  /// Asks every watch to say soon how far it is, also where nothing happens.
  virtual void RequestProgress() = 0;
  /// Whether what watches say then can be trusted; if not, consistent lists read the backend itself.
  virtual bool ProgressIsReliable() const = 0;

  /// Forgets what was overwritten or deleted up to there.
  virtual Result<void> Compact(Revision revision, const std::stop_token& stop) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_BACKEND_H_
