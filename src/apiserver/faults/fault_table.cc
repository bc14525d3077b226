#include "src/apiserver/faults/fault_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinformer {
namespace apiserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr FaultArguments kNone{};

constexpr FaultArguments Number(std::int64_t otherwise, std::int64_t min, std::int64_t max) {
  FaultArguments arguments;
  arguments.number = true;
  arguments.number_default = otherwise;
  arguments.number_min = min;
  arguments.number_max = max;
  return arguments;
}

constexpr FaultArguments Time(milliseconds otherwise) {
  FaultArguments arguments;
  arguments.duration = true;
  arguments.duration_default = otherwise;
  return arguments;
}

constexpr FaultArguments NumberAndTime(std::int64_t min, std::int64_t max) {
  FaultArguments arguments = Number(0, min, max);
  arguments.number_needed = true;
  arguments.duration = true;
  return arguments;
}

constexpr std::int64_t kMaxBytes = std::int64_t{64} << 20U;

// In the order of FaultKind.
const std::vector<FaultEntry>& Table() {
  static const std::vector<FaultEntry> table = {
      {{FaultKind::kError, "error", "CODE[,RETRY_AFTER]",
        "Answers with a Status of that code (400 to 599), and with Retry-After if given."},
       FaultPlace::kRequest,
       NumberAndTime(400, 599)},
      {{FaultKind::kThrottle, "throttle", "[RETRY_AFTER]", "429 TooManyRequests with Retry-After (1 second)."},
       FaultPlace::kRequest,
       Time(seconds(1))},
      {{FaultKind::kExpiredStart, "expired-start", "", "Answers 410 Expired, also to a watch."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kExpiredPage, "expired-page", "",
        "410 Expired for a list with `continue`, with a token that continues at the current state (rv -1)."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kExpiredPageNoToken, "expired-page-no-token", "", "The same without a token."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kTooLarge, "too-large", "",
        "504 Timeout with the cause ResourceVersionTooLarge and Retry-After: 1, as for a version in the future."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kRejectInitialEvents, "reject-initial-events", "",
        "422 Invalid for watches with sendInitialEvents, as by a server without streaming lists."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kConflictStorm, "conflict-storm", "[TIMES]",
        "409 Conflict for that many consecutive updates and patches (3); with `nth`, from the N-th on."},
       FaultPlace::kRequest,
       Number(3, 1, 1'000'000)},
      {{FaultKind::kUnauthorized, "unauthorized", "", "401, as for a token that has been replaced."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kLostAnswer, "lost-answer", "",
        "The request is executed, and the connection is reset instead of a response."},
       FaultPlace::kAnswer,
       kNone},
      {{FaultKind::kStaleList, "stale-list", "[REVISIONS]",
        "A list at resourceVersion 0 returns the state before that many writes (10, of any resource)."},
       FaultPlace::kRequest,
       Number(10, 1, 1'000'000'000)},
      {{FaultKind::kStaleDiscovery, "stale-discovery", "",
        "Discovery lists a group-version, but not its contents: `get:/apis/apps/v1=stale-discovery`. That document is "
        "503; the aggregated one says `freshness: Stale`."},
       FaultPlace::kRequest,
       kNone},
      {{FaultKind::kKindRemoved, "kind-removed", "[TIME]",
        "As if the resource's definition were deleted: its watches end, and every request for it is 404, for that time "
        "or until the fault is removed. Stored objects stay."},
       FaultPlace::kWatchOrOther,
       Time(milliseconds(0))},
      {{FaultKind::kClose, "close", "",
        "A watch ends normally, after the events. Other requests: the connection is closed without a response."},
       FaultPlace::kWatchOrOther,
       kNone},
      {{FaultKind::kCloseEarly, "close-early", "", "A watch ends normally at once, without an event."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kReset, "reset", "",
        "RST in the middle of the line of a watch's next event. Other requests: in the middle of the response head."},
       FaultPlace::kWatchOrOther,
       kNone},
      {{FaultKind::kStall, "stall", "", "The connection stays open but silent: half-open."},
       FaultPlace::kWatchOrOther,
       kNone},
      {{FaultKind::kRefuseConnections, "refuse-connections", "[TIME]",
        "As if the server were restarted: all connections are reset, and new ones refused for that time (1 s)."},
       FaultPlace::kWatchOrOther,
       Time(seconds(1))},
      {{FaultKind::kErrorEvent, "error-event", "CODE[,RETRY_AFTER]",
        "An ERROR event with a Status of that code, and the watch ends."},
       FaultPlace::kWatch,
       NumberAndTime(400, 599)},
      {{FaultKind::kExpiredEvent, "expired-event", "", "An ERROR event, 410 Expired, and the watch ends."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kTooLargeEvent, "too-large-event", "",
        "An ERROR event, 504 with the cause ResourceVersionTooLarge, and the watch ends."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kThrottleEvent, "throttle-event", "[RETRY_AFTER]", "An ERROR event, 429, and the watch ends."},
       FaultPlace::kWatch,
       Time(seconds(1))},
      {{FaultKind::kBadErrorObject, "bad-error-object", "",
        "An ERROR event whose object is not a Status, and the watch ends."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kByteByByte, "byte-by-byte", "", "From then on, every byte is sent as its own chunk and segment."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kCoalesce, "coalesce", "[EVENTS[,TIME]]",
        "From then on, that many events (16) are sent as one chunk, or fewer after that time (100 ms)."},
       FaultPlace::kWatch,
       [] {
         FaultArguments arguments = Number(16, 2, 100'000);
         arguments.duration = true;
         arguments.duration_default = milliseconds(100);
         return arguments;
       }()},
      {{FaultKind::kSlowWatcher, "slow-watcher", "[TIME]",
        "For that time (5 s) the watch takes no events. If its buffer overflows, the server ends it, as it does with "
        "slow clients."},
       FaultPlace::kWatch,
       Time(seconds(5))},
      {{FaultKind::kNoInitialEnd, "no-initial-end", "", "The bookmark that ends the initial events is never sent."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kLateInitialEnd, "late-initial-end", "[TIME]",
        "The bookmark that ends the initial events is delayed by that time (5 s); other events are not."},
       FaultPlace::kWatch,
       Time(seconds(5))},
      {{FaultKind::kWrongBookmarkKind, "wrong-bookmark-kind", "",
        "A bookmark of another kind, with a version far in the future."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kOldBookmark, "old-bookmark", "", "A bookmark with a version older than what was sent: 1."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kUnknownEventType, "unknown-event-type", "", "An event of an unknown type before the next event."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kDuplicate, "duplicate", "", "The next event is sent twice."}, FaultPlace::kWatch, kNone},
      {{FaultKind::kReorder, "reorder", "", "The next event is sent after the one that follows it."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kDrop, "drop", "", "The next event is never sent."}, FaultPlace::kWatch, kNone},
      {{FaultKind::kHugeEvent, "huge-event", "[BYTES]",
        "The next event's object has an extra field `kinformerFault` of that length (2 MiB)."},
       FaultPlace::kWatch,
       Number(2 << 20U, 1, kMaxBytes)},
      {{FaultKind::kDeepEvent, "deep-event", "[DEPTH]",
        "The next event's object has an extra field `kinformerFault` of that many nested arrays (5000)."},
       FaultPlace::kWatch,
       Number(5000, 1, kMaxBytes / 2)},
      {{FaultKind::kInvalidUtf8, "invalid-utf8", "",
        "The next event's object has an extra field `kinformerFault` of bytes that are not UTF-8."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kReplaceUid, "replace-uid", "",
        "The next DELETED is withheld; an object then created under the same name arrives as MODIFIED, with another "
        "uid."},
       FaultPlace::kWatch,
       kNone},
      {{FaultKind::kWipe, "wipe", "",
        "The storage loses everything, and its revisions start over. Watches end; the request proceeds."},
       FaultPlace::kWatchOrOther,
       kNone},
      {{FaultKind::kStorageDown, "storage-down", "[TIME]",
        "The storage is unreachable for that time (1 s). The request proceeds."},
       FaultPlace::kWatchOrOther,
       Time(seconds(1))},
  };
  return table;
}

bool IsVerb(std::string_view verb) {
  constexpr std::array kVerbs = {
      "*",    "get", "list", "watch",  "create", "update", "patch", "delete", "deletecollection",
      "post", "put", "head", "options"};
  return std::find(kVerbs.begin(), kVerbs.end(), verb) != kVerbs.end();
}

Error Invalid(std::string message) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)}; }

}  // namespace

const FaultEntry& EntryOf(FaultKind kind) { return Table().at(static_cast<std::size_t>(kind)); }

const FaultEntry* FindEntry(std::string_view name) {
  const auto found = std::find_if(Table().begin(), Table().end(),
                                  [&](const FaultEntry& entry) { return entry.description.name == name; });
  return found == Table().end() ? nullptr : &*found;
}

std::string FaultNames() {
  std::string names;
  for (const FaultEntry& entry : Table()) {
    if (!names.empty()) names += ", ";
    names += entry.description.name;
  }
  return names;
}

std::int64_t NumberOf(const Fault& fault) {
  return fault.number.value_or(EntryOf(fault.kind).arguments.number_default);
}

milliseconds DurationOf(const Fault& fault) {
  return fault.duration.value_or(EntryOf(fault.kind).arguments.duration_default);
}

Result<void> Validate(const Fault& fault) {
  const auto index = static_cast<std::size_t>(fault.kind);
  if (index >= Table().size()) return Invalid("there is no such FaultKind: " + std::to_string(index));
  const FaultEntry& entry = Table()[index];
  const FaultArguments& arguments = entry.arguments;
  const std::string name(entry.description.name);
  if (!IsVerb(fault.verb)) {
    return Invalid(
        "\"" + fault.verb +
        "\" is not a verb; valid verbs: get, list, watch, create, update, patch, delete, deletecollection, *");
  }
  if (fault.resource.empty() || fault.resource.find_first_of(":= ,") != std::string::npos) {
    return Invalid("\"" + fault.resource +
                   "\" is not a resource such as pods, pods/status, deployments.apps, /a/path or *");
  }
  if (entry.place == FaultPlace::kWatch && fault.verb != "watch" && fault.verb != "*") {
    return Invalid(name + " is a fault of watches, and can do nothing to the verb " + fault.verb);
  }
  if (fault.after != 0 && (fault.verb != "watch" || entry.place == FaultPlace::kRequest ||
                           entry.place == FaultPlace::kAnswer || fault.kind == FaultKind::kCloseEarly)) {
    return Invalid("after= counts a watch's events, and " + fault.verb + " with " + name + " has none");
  }
  const std::string usage = entry.description.arguments.empty()
                                ? name + " takes no argument"
                                : name + " takes " + std::string(entry.description.arguments);
  if (fault.number && !arguments.number) return Invalid(usage + ", and no number");
  if (!fault.number && arguments.number_needed) return Invalid(usage + "; the first is missing");
  if (fault.number && (*fault.number < arguments.number_min || *fault.number > arguments.number_max)) {
    return Invalid(usage + ": " + std::to_string(*fault.number) + " is not between " +
                   std::to_string(arguments.number_min) + " and " + std::to_string(arguments.number_max));
  }
  if (fault.duration && !arguments.duration) return Invalid(usage + ", and no time");
  if (fault.duration && (*fault.duration < milliseconds(0) || *fault.duration > std::chrono::hours(24))) {
    return Invalid(usage + ": a time is between 0 and 24 hours");
  }
  return {};
}

}  // namespace apiserver

const std::vector<FaultDescription>& KnownFaults() {
  static const std::vector<FaultDescription> known = [] {
    std::vector<FaultDescription> all;
    for (std::size_t kind = 0; kind <= static_cast<std::size_t>(FaultKind::kStorageDown); ++kind) {
      all.push_back(apiserver::EntryOf(static_cast<FaultKind>(kind)).description);
    }
    return all;
  }();
  return known;
}

}  // namespace kinformer
