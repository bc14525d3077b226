#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_

// In:     what happened (a part of a list, the end of a watch, a timer), and when
// Out:    what to do about it (start a watch, replace the target's objects, wait)
// Thread: the Reflector's task; pure: no clock, no lock, no I/O
// Next:   Reflector, which carries the actions out

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

#include "src/reflector/intake.h"

namespace kinformer::internal {

/// What to keep to; see ReflectorOptions for the meaning of each.
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

/// What outlives a stop, so that a restart goes on from there.
struct ReflectorMemory {
  /// The version that the target has seen.
  std::string resource_version{};
  /// The server has forgotten it, or never had it: ask for the newest.
  bool version_unavailable = false;
  /// A list at "0" came in pages although the watch cache ignores limits: this server has none, so paging stays on.
  bool pages_at_zero = false;
  bool streaming_unsupported = false;
  // See ReflectorStatus.
  std::uint64_t streaming_fallbacks = 0;
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t errors = 0;
};

/// kParked: the server does not have the kind, so there is nothing to list until it comes.
enum class ReflectorPhase { kStopped, kListing, kWatching, kBackingOff, kParked };

struct ReflectorStatus {
  ReflectorPhase phase = ReflectorPhase::kStopped;
  /// The version that the target has seen.
  std::string resource_version{};
  /// When the other side last said anything.
  std::optional<TimePoint> last_heard{};
  /// The last one; it stays after things went well again.
  std::optional<Error> last_error{};
  std::uint64_t errors = 0;
  /// Lists that came to their end, paged or streaming; each was one Replace.
  std::uint64_t lists = 0;
  /// Watches begun, among them streaming lists that went on as one.
  std::uint64_t watches = 0;
  /// How often a streaming list was given up for paged ones for good: zero or one.
  std::uint64_t streaming_fallbacks = 0;
  /// Of the list under way.
  std::size_t listed_objects = 0;
  std::uint64_t listed_bytes = 0;
  std::optional<std::int64_t> remaining_objects{};
};

/// Actions, to be carried out in their order.
struct StartList {
  ListRequest request{};
};
struct StartWatch {
  WatchRequest request{};
};
/// The stream under way is of no use any more. Starting another does that too.
struct CancelStream {};
struct TellAdd {
  ObjectPtr object{};
};
struct TellUpdate {
  ObjectPtr object{};
};
struct TellDelete {
  ObjectPtr object{};
};
struct TellReplace {
  std::vector<ObjectPtr> objects{};
  std::string resource_version{};
};
struct TellBookmark {
  std::string resource_version{};
};
/// TimerFired is wanted then. Replaces what was set before; firing too early or once too often does no harm.
struct SetTimer {
  TimePoint when{};
};
struct ReportError {
  Error error{};
};
struct LogLine {
  LogLevel level = LogLevel::kInfo;
  std::string message{};
};
using ReflectorAction = std::variant<StartList, StartWatch, CancelStream, TellAdd, TellUpdate, TellDelete, TellReplace,
                                     TellBookmark, SetTimer, ReportError, LogLine>;

/// Events. Those of a stream are of the one started last; what an older one still says must be left out.
struct Started {
  /// ListerWatcher::SupportsStreamingLists.
  bool supports_streaming = true;
};
struct Stopped {};
struct TimerFired {};
struct ListItems {
  TakenItems items{};
};
struct ListPageEnded {
  ListEnd end{};
};
struct ListFailed {
  Error error{};
};
/// The other side has accepted the watch; optional.
struct WatchOpened {};
struct WatchEvents {
  std::vector<TakenEvent> events{};
};
struct WatchClosed {};
struct WatchFailed {
  Error error{};
};
using ReflectorEvent = std::variant<Started, Stopped, TimerFired, ListItems, ListPageEnded, ListFailed, WatchOpened,
                                    WatchEvents, WatchClosed, WatchFailed>;

/// How a Reflector keeps a target equal to what is served.
///
/// A pass begins with a seed, a list that becomes one Replace, and goes on as a watch for as long as that can be
/// resumed:
///
///     seed (streaming list, or paged list) ──► watch ──► watch ──► …
///       ▲                                        │
///       └──────────────── back-off ◄─────────────┘
class ReflectorState {
 public:
  explicit ReflectorState(ReflectorRules rules, ReflectorMemory memory = {});

  std::vector<ReflectorAction> Step(ReflectorEvent event, TimePoint now);

  /// Events now stand for a list.
  bool Seeding() const { return std::holds_alternative<StreamingList>(state_); }
  const ReflectorMemory& memory() const { return memory_; }
  ReflectorStatus Status() const;
  /// The same into a status of before, without copying what has not changed.
  void Update(ReflectorStatus& status) const;

 private:
  /// What a streaming list has told so far, in the order of first appearance.
  class Collected {
   public:
    void Put(NamespacedName key, ObjectPtr object);
    void Remove(const NamespacedName& key);
    std::size_t size() const { return index_.size(); }
    std::vector<ObjectPtr> Take();

   private:
    std::vector<ObjectPtr> objects_;  ///< Null where one was removed.
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
    /// Events that were not ours.
    std::size_t skipped = 0;
  };
  struct PagedList {
    /// Of the first page.
    ListRequest first{};
    ListRequest page{};
    bool beyond_first = false;
    /// The newest version is asked for because the last one was refused.
    bool is_retry = false;
    std::vector<ObjectPtr> items{};
    /// Items that were not ours.
    std::size_t skipped = 0;
    /// In a row, up to the one under way; and whether that one has brought anything.
    int empty_pages = 0;
    bool page_is_empty = true;
  };
  struct Watching {
    TimePoint opened{};
    TimePoint watchdog{};
    std::uint64_t events = 0;
    /// Begun at no version ("" or "0"): ADDED events may be old objects in any order, whose versions mean nothing.
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
  void GiveUpStreaming(const std::string& why);
  TimePoint Deadline(const StreamingList& list) const;

  void RequestPage(PagedList& list);
  std::optional<Error> WhyNoPage(const PagedList& list, const ListEnd& end) const;
  void TakeWatchEvent(Watching& watch, TakenEvent& event);
  void WatchBroke(const Watching& watch, const Error& error);
  bool MayRetryInternalError();

  std::chrono::seconds WatchTimeout();
  std::int64_t PageSize(const std::string& resource_version) const;
  void Heard() { last_heard_ = now_; }
  void Report(const Error& error);
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
  /// Streaming lists in a row that ended before their bookmark.
  int cuts_ = 0;
  /// The last list found no such kind: that has been reported.
  bool kind_missing_ = false;
  std::uint64_t listed_bytes_ = 0;
  std::optional<TimePoint> first_internal_error_{};
  TimePoint last_internal_error_{};

  std::optional<TimePoint> last_heard_{};
  std::optional<Error> last_error_{};
  std::optional<std::int64_t> remaining_{};

  // Of the step under way.
  TimePoint now_{};
  std::vector<ReflectorAction> actions_;
  /// Counts streams begun: events after the one that ended their stream are dropped.
  std::uint64_t stream_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_STATE_H_
