#ifndef KINFORMER_APISERVER_FAULTS_FAULTS_H_
#define KINFORMER_APISERVER_FAULTS_FAULTS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer {

namespace apiserver {
class FaultPlan;
}

/// What goes wrong. KnownFaults() says more of each; so does docs/faults.md.
enum class FaultKind {
  // Of a request, which is answered with it.
  kError,
  kThrottle,
  kExpiredStart,
  kExpiredPage,
  kExpiredPageNoToken,
  kTooLarge,
  kRejectInitialEvents,
  kConflictStorm,
  kUnauthorized,
  kLostAnswer,
  kStaleList,
  kStaleDiscovery,
  kKindRemoved,
  // Of a connection.
  kClose,
  kCloseEarly,
  kReset,
  kStall,
  kRefuseConnections,
  // Of a watch: an ERROR event, and the end.
  kErrorEvent,
  kExpiredEvent,
  kTooLargeEvent,
  kThrottleEvent,
  kBadErrorObject,
  // Of a watch, which goes on.
  kByteByByte,
  kCoalesce,
  kSlowWatcher,
  kNoInitialEnd,
  kLateInitialEnd,
  kWrongBookmarkKind,
  kOldBookmark,
  kUnknownEventType,
  kDuplicate,
  kReorder,
  kDrop,
  kHugeEvent,
  kDeepEvent,
  kInvalidUtf8,
  kReplaceUid,
  // Of the storage.
  kWipe,
  kStorageDown,
};

struct FaultDescription {
  FaultKind kind = FaultKind::kError;
  std::string_view name{};
  /// "CODE[,RETRY_AFTER]"; empty: it takes none.
  std::string_view arguments{};
  std::string_view what{};
};
/// All of them; each kind once.
const std::vector<FaultDescription>& KnownFaults();

/// Something that goes wrong, and when. As text: `verb:resource[:nth=N][:after=K][:times=T]=fault[,argument...]`, for
/// example `watch:pods:nth=2:after=10=close` or `list:*=error,503,1`.
struct Fault {
  /// get, list, watch, create, update, patch, delete, deletecollection; "*": every.
  std::string verb = "*";
  /// "pods", "pods/status", "deployments.apps"; a path such as "/apis" for what is no resource; "*": every.
  std::string resource = "*";
  FaultKind kind = FaultKind::kError;
  /// Of the requests that match since the fault was added, this one alone; zero: all of them, and the watches that were
  /// running already.
  std::uint64_t nth = 0;
  /// Of a watch, after so many events: ADDED, MODIFIED and DELETED; of one that was running already, so many more.
  std::uint64_t after = 0;
  /// It strikes so often at the most; zero: always.
  std::uint64_t times = 0;
  /// The arguments, where the fault takes them; nullopt: as KnownFaults() says. A code, a size, a count...
  std::optional<std::int64_t> number{};
  /// ... and a time, on the server's clock. RETRY_AFTER counts in whole seconds.
  std::optional<std::chrono::milliseconds> duration{};

  bool operator==(const Fault&) const = default;
};

/// kInvalidArgument says what is wrong with it, and what would be right.
Result<Fault> ParseFault(std::string_view spec);
/// ParseFault's inverse.
std::string ToString(const Fault& fault);

/// The faults of a server: give it to ApiServerOptions::faults, and add to it whenever something shall go wrong.
///
///     auto faults = std::make_shared<ki::Faults>();
///     ki::ApiServer server({.faults = faults});
///     faults->Add({.verb = "watch", .resource = "pods", .kind = ki::FaultKind::kReset, .times = 1});
///
/// A request is given to them in the order in which they were added; the first that strikes answers it. A watch may
/// have several.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Faults {
 public:
  using Id = std::uint64_t;

  Faults();
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /// Counts at once, also for watches that are running. Refuses what ParseFault would not accept.
  Result<Id> Add(const Fault& fault);
  Result<Id> Add(std::string_view spec);
  /// False: it is not there (any more).
  bool Remove(Id id);
  void Clear();

  /// How often it has struck; of one that is not there, zero.
  std::uint64_t Count(Id id) const;
  std::vector<Fault> All() const;

  /// For the server.
  const std::shared_ptr<apiserver::FaultPlan>& plan() const { return plan_; }

 private:
  const std::shared_ptr<apiserver::FaultPlan> plan_;
};

}  // namespace kinformer

#endif  // KINFORMER_APISERVER_FAULTS_FAULTS_H_
