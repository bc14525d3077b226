#ifndef KINFORMER_SRC_APISERVER_STORAGE_ETCD_WIRE_H_
#define KINFORMER_SRC_APISERVER_STORAGE_ETCD_WIRE_H_

// In:     calls of a Backend; bodies that an etcd's HTTP gateway answers
// Out:    bodies of requests; what the answers mean
// Thread: any; pure
// Next:   EtcdBackend, which carries them

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/apiserver/storage/backend.h"

// The gateway speaks protobuf's JSON: keys and values are base64, 64-bit numbers are strings, and whatever is zero,
// empty or false is left out (a PUT event has no type; a transaction that failed has no `succeeded`).
namespace kinformer::apiserver::etcd {

// Bodies of requests.

/// For /v3/kv/range.
std::string RangeBody(const RangeQuery& query);
/// The same, for nothing but the revision in the answer's header.
std::string RevisionBody();
/// For /v3/kv/txn: puts, or deletes (`value` null), if the key's mod_revision is `replaces`; else reads it.
std::string WriteBody(const std::string& key, const Bytes& value, Revision replaces, std::int64_t lease);
/// For /v3/watch: of that key or prefix, with what was there before.
std::string WatchBody(const std::string& key, Revision after);
/// For /v3/kv/compaction.
std::string CompactBody(Revision revision);
/// For /v3/lease/grant, and /v3/lease/revoke.
std::string GrantBody(std::chrono::seconds ttl);
std::string RevokeBody(std::int64_t lease);

// Answers with status 200. kMalformed for what is none.

Result<RangeResult> ReadRange(std::string_view body, Revision asked);
Result<Revision> ReadRevision(std::string_view body);
Result<WriteOutcome> ReadWrite(std::string_view body, const std::string& key);
Result<std::int64_t> ReadLease(std::string_view body);
/// "3.4.23", from /v3/maintenance/status.
Result<std::string> ReadVersion(std::string_view body);

/// One line of a watch.
struct WatchFrame {
  bool created = false;
  /// The watch is over. Why: the revision was compacted, or something that another member may not have.
  bool canceled = false;
  Revision compact_revision = 0;
  std::string why{};
  BackendEvents events{};
  /// An event lacks what was there before, since that has been compacted: the watch began too early.
  bool lacks_before = false;
};
Result<WatchFrame> ReadWatchFrame(std::string_view line);

/// What an answer with another status means.
struct Refusal {
  enum class Kind {
    /// For the caller.
    kFinal,
    /// This member has no leader: nothing was done, another may have one.
    kNotHere,
    /// Something broke on the way: a write may have been made.
    kUncertain,
  };
  Kind kind = Kind::kFinal;
  Error error{};
};
/// `asked` and `seen`: the revision that was asked for, and the newest that is known, for the message.
Refusal ReadRefusal(int http_status, std::string_view body, Revision asked, Revision seen);

/// Whether an etcd of that version says no more about the progress of a watch than is true (from 3.4.31, 3.5.13 and 3.6
/// on; before, it could be ahead of events that were still to come).
bool ProgressIsTrue(std::string_view version);

}  // namespace kinformer::apiserver::etcd

#endif  // KINFORMER_SRC_APISERVER_STORAGE_ETCD_WIRE_H_
