#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_WIRE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_WIRE_H_

// In:     calls of a Backend; responses of an etcd's HTTP gateway
// Out:    request bodies; decoded responses
// Thread: any; pure
// Next:   EtcdBackend, which sends them

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/listwatch/storage/backend.h"

// The gateway uses protobuf's JSON mapping: keys and values are base64, 64-bit numbers are strings, and zero, empty or
// false fields are omitted (a PUT event has no type; a failed transaction has no `succeeded`).
namespace kinformer::apiserver::etcd {

// Request bodies.

/// For /v3/kv/range.
std::string RangeBody(const RangeQuery& query);
/// Also for /v3/kv/range, to read only the revision in the response header.
std::string RevisionBody();
/// For /v3/kv/txn: puts, or deletes (`value` null), if the key's mod_revision is `replaces`; otherwise reads the key.
std::string WriteBody(const std::string& key, const Bytes& value, Revision replaces, std::int64_t lease);
/// For /v3/watch: watches a key or prefix, with previous values.
std::string WatchBody(const std::string& key, Revision after);
/// For /v3/kv/compaction.
std::string CompactBody(Revision revision);
/// For /v3/lease/grant and /v3/lease/revoke.
std::string GrantBody(std::chrono::seconds ttl);
std::string RevokeBody(std::int64_t lease);

// Parsers for responses with status 200. kMalformed if the body is invalid.

Result<RangeResult> ReadRange(std::string_view body, Revision asked);
Result<Revision> ReadRevision(std::string_view body);
Result<WriteOutcome> ReadWrite(std::string_view body, const std::string& key);
Result<std::int64_t> ReadLease(std::string_view body);
/// "3.4.23", from /v3/maintenance/status.
Result<std::string> ReadVersion(std::string_view body);

/// One line of a watch.
struct WatchFrame {
  bool created = false;
  /// The watch has ended: the revision was compacted (compact_revision > 0), or because of this member, as `why` says.
  bool canceled = false;
  Revision compact_revision = 0;
  std::string why{};
  BackendEvents events{};
  /// The previous value of an event has been compacted: the watch started too early.
  bool lacks_before = false;
};
Result<WatchFrame> ReadWatchFrame(std::string_view line);

/// A response with any other status.
struct ErrorResponse {
  enum class Kind {
    /// To be reported to the caller.
    kFinal,
    /// This member has no leader: nothing was done; another member may have one.
    kNotHere,
    /// The request broke off: a write may have been made.
    kUncertain,
  };
  Kind kind = Kind::kFinal;
  Error error{};
};
/// `asked` and `seen`: the requested revision and the newest known one, for the message.
ErrorResponse ReadErrorResponse(int http_status, std::string_view body, Revision asked, Revision seen);

/// Whether this etcd version reports the progress of watches correctly (3.4.31, 3.5.13, 3.6 and later). Earlier ones
/// can report a revision before its events have been sent.
bool ProgressIsReliableIn(std::string_view version);

}  // namespace kinformer::apiserver::etcd

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_WIRE_H_
