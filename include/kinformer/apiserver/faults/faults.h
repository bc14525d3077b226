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

/// The faults that can be injected. KnownFaults() and docs/faults.md describe each of them.
enum class FaultKind {
  // Requests: the fault decides the response.
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
  // Connections.
  kClose,
  kCloseEarly,
  kReset,
  kStall,
  kRefuseConnections,
  // Watches: an ERROR event ends the watch.
  kErrorEvent,
  kExpiredEvent,
  kTooLargeEvent,
  kThrottleEvent,
  kBadErrorObject,
  // Watches: the watch continues.
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
  // The storage.
  kWipe,
  kStorageDown,
};

struct FaultDescription {
  FaultKind kind = FaultKind::kError;
  std::string_view name{};
  /// The argument syntax, for example "CODE[,RETRY_AFTER]"; empty: the fault takes no arguments.
  std::string_view arguments{};
  std::string_view what{};
};
/// All faults, each kind exactly once.
const std::vector<FaultDescription>& KnownFaults();

/// A fault, and when it occurs. Text form: `verb:resource[:nth=N][:after=K][:times=T]=fault[,argument...]`, for example
/// `watch:pods:nth=2:after=10=close` or `list:*=error,503,1`.
struct Fault {
  /// get, list, watch, create, update, patch, delete or deletecollection; for a non-resource path, the HTTP method in
  /// lower case; "*": any.
  std::string verb = "*";
  /// "pods", "pods/status", "deployments.apps"; a path such as "/apis" for non-resource requests; "*": any.
  std::string resource = "*";
  FaultKind kind = FaultKind::kError;
  /// Only the nth matching request since the fault was added; zero: all of them, and watches that are already running.
  std::uint64_t nth = 0;
  /// For a watch: after this many ADDED, MODIFIED and DELETED events. In a watch that is already running, events count
  /// from the time the fault was added.
  std::uint64_t after = 0;
  /// How often the fault may occur; zero: no limit.
  std::uint64_t times = 0;
  /// The arguments of faults that take them; nullopt: the default that KnownFaults() gives. A code, size or count...
  std::optional<std::int64_t> number{};
  /// ... and a time, on the server's clock. RETRY_AFTER is in whole seconds.
  std::optional<std::chrono::milliseconds> duration{};

  bool operator==(const Fault&) const = default;
};

/// kInvalidArgument says what is wrong and what is expected.
Result<Fault> ParseFault(std::string_view spec);
/// ParseFault's inverse.
std::string ToString(const Fault& fault);

/// The faults that an ApiServer injects. Pass it as ApiServerOptions::faults; add and remove faults at any time.
///
///     auto faults = std::make_shared<ki::Faults>();
///     ki::ApiServer server({.faults = faults});
///     KI_TRY(faults->Add({.verb = "watch", .resource = "pods", .kind = ki::FaultKind::kReset, .times = 1}));
///
/// Each request is matched against the faults in the order they were added; the first that applies handles it. Several
/// faults may apply to one watch.
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

  /// Takes effect immediately, also for running watches. Rejects what ParseFault would reject.
  Result<Id> Add(const Fault& fault);
  Result<Id> Add(std::string_view spec);
  /// False if there is no such fault.
  bool Remove(Id id);
  void Clear();

  /// How often the fault has occurred; zero if there is no such fault.
  std::uint64_t Count(Id id) const;
  std::vector<Fault> All() const;

  /// Used by the server.
  const std::shared_ptr<apiserver::FaultPlan>& plan() const& { return plan_; }
  std::shared_ptr<apiserver::FaultPlan> plan() const&& { return plan_; }

 private:
  const std::shared_ptr<apiserver::FaultPlan> plan_;
};

}  // namespace kinformer

#endif  // KINFORMER_APISERVER_FAULTS_FAULTS_H_
