#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_MVCC_LOG_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_MVCC_LOG_H_

// In:     writes, in order
// Out:    the versions of every key, and the log of changes
// Thread: none; guarded by the MemoryBackend
// Next:   MemoryBackend

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

/// A map of keys to their versions, and one log entry for each revision. Revisions start at 1, when it is empty; each
/// write takes the next.
///
/// History is dropped in two steps: Compact makes it unreadable at once, DropOldest frees it change by change, so that
/// the owner can release its lock in between.
class MvccLog {
 public:
  struct Version {
    Bytes value{};  ///< Null: deleted, or never written.
    Revision create_revision = 0;
    Revision mod_revision = 0;
  };

  /// The versions of a key. `older` is in revision order; its first `compacted` entries have been dropped.
  struct Record {
    Version now{};
    TimePoint expires = TimePoint::max();  ///< For the ExpiryQueue.
    std::vector<Version> older{};
    std::size_t compacted = 0;

    /// The version at that revision, or null.
    const Version* At(Revision revision) const;
    /// Drops the older versions before that revision.
    void CompactBefore(Revision revision);
  };
  using Records = std::map<std::string, Record, std::less<>>;
  /// A key and its record. Valid until the key is deleted and compacted.
  using Position = Records::iterator;

  Revision revision() const { return revision_; }
  Revision compacted() const { return compacted_; }
  /// Keys that exist now.
  std::size_t keys() const { return keys_; }
  /// Changes that watches can still read, and their memory.
  std::size_t changes() const { return log_.size(); }
  std::size_t history_bytes() const { return history_bytes_; }

  Position Find(std::string_view key) { return records_.find(key); }
  bool IsEnd(Position at) const { return at == records_.end(); }
  Position Insert(const std::string& key) { return records_.try_emplace(key).first; }
  /// What the key holds now, or null.
  const Version* Current(Position at) const { return !IsEnd(at) && at->second.now.value ? &at->second.now : nullptr; }
  /// Writes the record at the next revision. `value` null: deletes it.
  void Append(Position at, Bytes value);

  /// A range that is read in several turns.
  struct RangeRead {
    const RangeQuery& query;
    /// RangeResult::count is known; otherwise `found` is the count at the end.
    bool counted = false;
    std::string from{};  ///< The next key.
    std::int64_t found = 0;
    RangeResult result{};
  };
  /// Reads on from `read.from`, at result.revision. False at the end of the range, or when the limit is reached and the
  /// count is known.
  bool ReadSome(RangeRead& read) const;
  /// Ranges in progress: what they can read is not dropped.
  void Pin(Revision revision) { pinned_.insert(revision); }
  void Unpin(Revision revision) { pinned_.erase(pinned_.find(revision)); }

  /// Appends the next changes below `prefix` from that revision on; a limited number. Returns the first revision that
  /// it did not look at. `from` must not be compacted.
  Revision ReadChanges(std::string_view prefix, Revision from, std::vector<BackendEvent>& events) const;

  /// Makes everything before that revision unreadable. Returns false if it was so before.
  bool Compact(Revision revision);
  /// Drops the oldest change if it is compacted. False if there is none, or if a range in progress needs it.
  bool DropOldest();
  /// Compacts and drops the oldest changes until the history is within the limit.
  void TrimTo(std::size_t max_history_bytes);

  /// Deletes everything and restarts revisions at 1. Pins remain.
  void Wipe();

 private:
  /// The write of one revision.
  struct Change {
    Position at;
    Version now{};
    Version before{};

    std::size_t HistoryBytes() const { return sizeof(Change) + (before.value ? before.value->size() : 0); }
  };

  Records records_;
  std::size_t keys_ = 0;
  Revision revision_ = 1;
  Revision compacted_ = 0;
  /// One entry for each revision from log_begin_ on.
  std::deque<Change> log_;
  Revision log_begin_ = 2;
  std::size_t history_bytes_ = 0;
  std::multiset<Revision> pinned_;
};

KeyValue ToKeyValue(const std::string& key, const MvccLog::Version& version);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_MVCC_LOG_H_
