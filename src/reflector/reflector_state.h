#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_

// In:     events (a part of a list, the end of a watch, a timer) and the current time
// Out:    actions (start a watch, replace the target's objects, wait)
// Thread: the Reflector's task; pure: no clock, no lock, no I/O
// Next:   Reflector, which executes the actions

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/base/logger.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/reflector/delta.h"
#include "src/reflector/intake.h"

namespace kinformer::internal {

/// Settings; see ReflectorOptions for the meaning of each.
struct ReflectorRules {
  BackoffOptions backoff{};
  bool streaming_lists = true;
  std::chrono::milliseconds streaming_list_deadline = std::chrono::seconds(30);
  std::int64_t page_size = 0;
  std::chrono::seconds min_watch_timeout = std::chrono::minutes(5);
  std::chrono::seconds watchdog_slack = std::chrono::seconds(10);
  std::chrono::milliseconds max_internal_error_retry{0};
  std::chrono::milliseconds missing_kind_poll = std::chrono::seconds(5);
  std::uint64_t seed = 0;
};

/// State that survives a stop, so that a restart continues from it.
struct ReflectorMemory {
  /// The version the target has seen.
  std::string resource_version{};
  /// The server no longer has that version, or never had it: ask for the newest.
  bool version_unavailable = false;
  /// A list at "0" was paged although the watch cache ignores limits: this server has no watch cache, so keep paging.
  bool pages_at_zero = false;
  bool streaming_unsupported = false;
  // See ReflectorStatus.
  std::uint64_t streaming_fallbacks = 0;
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t errors = 0;
};

/// kParked: the server does not have the kind; waiting until it does.
enum class ReflectorPhase { kStopped, kListing, kWatching, kBackingOff, kParked };

struct ReflectorStatus {
  ReflectorPhase phase = ReflectorPhase::kStopped;
  /// The version the target has seen.
  std::string resource_version{};
  /// When data last arrived from the server.
  std::optional<TimePoint> last_activity{};
  /// The most recent error; kept after recovery.
  std::optional<Error> last_error{};
  std::uint64_t errors = 0;
  /// Completed lists, paged or streaming; each was one Replace.
  std::uint64_t lists = 0;
  /// Watches started, including streaming lists that continued as a watch.
  std::uint64_t watches = 0;
  /// How often streaming lists were abandoned for good: zero or one.
  std::uint64_t streaming_fallbacks = 0;
  /// Progress of the current list.
  std::size_t listed_objects = 0;
  std::uint64_t listed_bytes = 0;
  std::optional<std::int64_t> remaining_objects{};
};

/// Actions, to be executed in order. A Delta goes to the target.
struct StartList {
  ListRequest request{};
};
struct StartWatch {
  WatchRequest request{};
};
/// Cancels the current stream. Starting another stream does so implicitly.
struct CancelStream {};
/// Requests a TimerFired at `when`. Replaces the previous timer; early or extra firings are harmless.
struct SetTimer {
  TimePoint when{};
};
struct ReportError {
  Error error{};
  /// Same cause as the previous failure, with no success in between: logged at debug level.
  bool repeated = false;
};
struct LogLine {
  LogLevel level = LogLevel::kInfo;
  std::string message{};
};
using ReflectorAction = std::variant<StartList, StartWatch, CancelStream, Delta, SetTimer, ReportError, LogLine>;

/// Events. Stream events refer to the stream started last; those of older streams must be filtered out by the caller.
struct Started {
  /// ListerWatcher::SupportsStreamingLists.
  bool supports_streaming = true;
};
struct Stopped {};
struct TimerFired {};
/// The target was full for that long, and nothing was taken from the stream: deadlines exclude this time.
struct Resumed {
  Duration paused{};
};
struct ListItems {
  TakenItems items{};
};
struct ListPageEnded {
  ListMeta end{};
};
struct ListFailed {
  Error error{};
};
/// The server has accepted the watch. Optional.
struct WatchOpened {};
struct WatchEvents {
  std::vector<TakenEvent> events{};
};
struct WatchClosed {};
struct WatchFailed {
  Error error{};
};
using ReflectorEvent = std::variant<Started, Stopped, TimerFired, Resumed, ListItems, ListPageEnded, ListFailed,
                                    WatchOpened, WatchEvents, WatchClosed, WatchFailed>;

/// The state machine by which a Reflector keeps a target equal to what is served.
///
/// A pass begins with a seed, a list that becomes one Replace, and continues as a watch for as long as the watch can be
/// resumed:
///
///     seed (streaming list, or paged list) ──► watch ──► watch ──► …
///       ▲                                        │
///       └──────────────── back-off ◄─────────────┘
class ReflectorState {
 public:
  explicit ReflectorState(ReflectorRules rules, ReflectorMemory memory = {});

  std::vector<ReflectorAction> Step(ReflectorEvent event, TimePoint now);

  /// True while watch events form a streaming list.
  bool Seeding() const { return std::holds_alternative<StreamingList>(state_); }
  const ReflectorMemory& memory() const { return memory_; }
  ReflectorStatus Status() const;
  /// Like Status, but updates an existing status and copies only what may have changed.
  void Update(ReflectorStatus& status) const;

 private:
  /// The objects of a streaming list so far, in order of first appearance.
  class Collected {
   public:
    void Put(NamespacedName key, ObjectPtr object);
    void Remove(const NamespacedName& key);
    std::size_t size() const { return index_.size(); }
    std::vector<ObjectPtr> Take();

   private:
    std::vector<ObjectPtr> objects_;  ///< Null where an object was removed.
    std::unordered_map<NamespacedName, std::size_t> index_;
  };

  struct Idle {};
  struct StreamingList {
    WatchRequest request{};
    TimePoint began{};
    TimePoint last_progress{};
    TimePoint watchdog{};
    bool opened = false;
    Collected collected{};
    /// Unexpected events.
    std::size_t skipped = 0;
  };
  struct PagedList {
    /// The request for the first page.
    ListRequest first{};
    ListRequest page{};
    bool beyond_first = false;
    /// The newest version is requested because the last one was refused.
    bool is_retry = false;
    std::vector<ObjectPtr> items{};
    /// Unexpected items.
    std::size_t skipped = 0;
    /// Consecutive empty pages, and whether the current page is empty so far.
    int empty_pages = 0;
    bool page_is_empty = true;
  };
  struct Watching {
    TimePoint opened{};
    TimePoint watchdog{};
    std::uint64_t events = 0;
    /// Started without a version ("" or "0"): ADDED events may be existing objects in any order, so their versions must
    /// not be recorded.
    bool synthetic = false;
  };
  enum class Next { kSeed, kWatch };
  struct BackingOff {
    TimePoint until{};
    Next next = Next::kSeed;
    bool parked = false;
  };

  void On(Started event);
  void On(Stopped event);
  void On(TimerFired event);
  void On(const Resumed& event);
  void On(ListItems event);
  void On(ListPageEnded event);
  void On(const ListFailed& event);
  void On(WatchOpened event);
  void On(WatchEvents event);
  void On(WatchClosed event);
  void On(const WatchFailed& event);

  void BeginSeed();
  void BeginStreamingList();
  void BeginPagedList(bool is_retry);
  void BeginWatch();
  void BackOff(Next next, std::optional<std::chrono::seconds> at_least);
  void Park(const Error& error);
  void CountListed(const Object& object);

  void TakeSeedEvent(StreamingList& list, TakenEvent& event);
  void FinishStreamingList(StreamingList& list, const Object& bookmark);
  void StreamingListFailed(const Error& error);
  void StreamingListCut();
  void StreamingListOverdue(const StreamingList& list);
  void GiveUpStreaming(LogLevel level, const std::string& why);
  TimePoint Deadline(const StreamingList& list) const;

  void RequestPage(PagedList& list);
  std::optional<Error> CheckPage(const PagedList& list, const ListMeta& end) const;
  void TakeWatchEvent(Watching& watch, TakenEvent& event);
  void WatchBroke(const Watching& watch, const Error& error);
  bool MayRetryInternalError();

  std::chrono::seconds WatchTimeout();
  std::int64_t PageSize(const std::string& resource_version) const;
  void Heard() { last_activity_ = now_; }
  /// Reports an error that does not interrupt the watch.
  void Report(const Error& error);
  /// Reports a failure of a list or watch. Logged once per cause until a watch is open again.
  void ReportFailure(const Error& error);
  /// Called when a watch is open: ends the outage.
  void Recovered();
  void Log(LogLevel level, std::string message);
  template <typename Action>
  void Do(Action action) {
    actions_.emplace_back(std::move(action));
  }

  const ReflectorRules rules_;
  ReflectorMemory memory_;
  std::variant<Idle, StreamingList, PagedList, Watching, BackingOff> state_;
  Backoff backoff_;
  std::mt19937_64 random_;
  bool supports_streaming_ = true;
  /// Consecutive streaming lists that ended before their bookmark.
  int cuts_ = 0;
  /// The last list returned 404, and that has been reported.
  bool kind_missing_ = false;
  std::uint64_t listed_bytes_ = 0;
  std::optional<TimePoint> first_internal_error_{};
  TimePoint last_internal_error_{};

  std::optional<TimePoint> last_activity_{};
  std::optional<Error> last_error_{};
  std::optional<std::int64_t> remaining_{};
  /// The failures since a watch was last open.
  struct Outage {
    TimePoint since{};
    std::uint64_t failures = 0;
    Error last{};
  };
  std::optional<Outage> outage_{};
  /// Set if the server rejected a streaming list as invalid. The paged list that follows shows whether it rejects
  /// streaming lists or the request itself.
  std::optional<Error> streaming_refused_{};

  // Valid during a step.
  TimePoint now_{};
  std::vector<ReflectorAction> actions_;
  /// Counts started streams: events after the one that ended their stream are dropped.
  std::uint64_t stream_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_
