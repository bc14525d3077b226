#include "src/reflector/reflector_state.h"

#include <algorithm>
#include <utility>

#include <kinformer/meta/status_error.h>

namespace kinformer::internal {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kPageSize = 500;
constexpr seconds kLeastWatchTimeout = std::chrono::minutes(5);
/// A watch that ends sooner without any event is not resumed at once.
constexpr seconds kVeryShort{1};
/// Limit for a whole streaming list, in multiples of the deadline between two events. Needed because a server that
/// ignores sendInitialEvents sends ordinary events forever, which look like progress.
constexpr int kStreamingListFactor = 10;
/// Consecutive streaming lists that may be cut off before the reflector falls back to one paged list.
constexpr int kMaxCuts = 3;
/// More consecutive empty pages are treated as an endless list.
constexpr int kMaxEmptyPages = 1000;
/// Upper limit for a server's Retry-After.
constexpr seconds kLongestRetryAfter = std::chrono::minutes(10);
constexpr std::chrono::minutes kInternalErrorQuiet{1};
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

bool IsExpired(const Error& error) { return IsResourceExpired(error) || IsGone(error); }
/// The requested version cannot be served; the newest can.
bool WantsNewest(const Error& error) { return IsExpired(error) || IsTooLargeResourceVersion(error); }
/// The server did not process the request: our state is as valid as before.
bool IsBusyOrAway(const Error& error) { return error.code == ErrorCode::kUnreachable || IsTooManyRequests(error); }
/// The connection broke, which says nothing about our version.
bool IsBroken(const Error& error) {
  return error.code == ErrorCode::kDisconnected || error.code == ErrorCode::kDeadlineExceeded;
}
/// The server rejected the request as invalid, possibly because of the version: it may come from another server.
bool IsRefusedAsWrong(const Error& error) { return IsBadRequest(error) || IsInvalid(error); }
/// A non-empty list with no expected object answers a different request; it does not mean that everything was deleted.
Error NoExpectedObjects(std::size_t skipped) {
  return {.code = ErrorCode::kMalformed,
          .message = "all " + std::to_string(skipped) + " objects of the list are of another kind or namespace"};
}
/// Server messages may contain times and request ids, so code and reason identify the cause.
bool IsSameCause(const Error& a, const Error& b) {
  if (a.code != b.code || a.http_status != b.http_status || a.reason != b.reason) return false;
  return a.http_status != 0 || a.message == b.message;
}
bool IsNoVersion(std::string_view resource_version) { return resource_version.empty() || resource_version == "0"; }

Delta ReplaceAll(std::vector<ObjectPtr> objects, std::string resource_version) {
  return {
      .kind = Delta::Kind::kReplaceAll, .objects = std::move(objects), .resource_version = std::move(resource_version)};
}
/// Of an event that carries an object's state.
Delta::Kind DeltaKindOf(WatchEventType type) {
  if (type == WatchEventType::kAdded) return Delta::Kind::kAdd;
  return type == WatchEventType::kModified ? Delta::Kind::kUpdate : Delta::Kind::kDelete;
}

}  // namespace

void ReflectorState::Collected::Put(NamespacedName key, ObjectPtr object) {
  const auto [entry, is_new] = index_.try_emplace(std::move(key), objects_.size());
  if (is_new) {
    objects_.push_back(std::move(object));
  } else {
    objects_[entry->second] = std::move(object);
  }
}

void ReflectorState::Collected::Remove(const NamespacedName& key) {
  const auto entry = index_.find(key);
  if (entry == index_.end()) return;
  objects_[entry->second] = nullptr;
  index_.erase(entry);
}

std::vector<ObjectPtr> ReflectorState::Collected::Take() {
  index_.clear();
  std::erase(objects_, nullptr);
  return std::move(objects_);
}

ReflectorState::ReflectorState(ReflectorRules rules, ReflectorMemory memory)
    : rules_(rules),
      memory_(std::move(memory)),
      backoff_(rules.backoff, rules.seed != 0 ? rules.seed : std::random_device{}()),
      random_(rules.seed != 0 ? rules.seed : std::random_device{}()) {}

std::vector<ReflectorAction> ReflectorState::Step(ReflectorEvent event, TimePoint now) {
  now_ = now;
  actions_.clear();
  std::visit([this](auto&& e) { On(std::forward<decltype(e)>(e)); }, std::move(event));
  return std::move(actions_);
}

ReflectorStatus ReflectorState::Status() const {
  ReflectorStatus status;
  Update(status);
  return status;
}

void ReflectorState::Update(ReflectorStatus& status) const {
  status.phase = ReflectorPhase::kStopped;
  status.resource_version = memory_.resource_version;
  status.last_activity = last_activity_;
  if (status.errors != memory_.errors) {
    status.errors = memory_.errors;
    status.last_error = last_error_;
  }
  status.lists = memory_.lists;
  status.watches = memory_.watches;
  status.streaming_fallbacks = memory_.streaming_fallbacks;
  status.listed_objects = 0;
  status.listed_bytes = 0;
  status.remaining_objects.reset();
  if (const auto* streaming = std::get_if<StreamingList>(&state_)) {
    status.phase = ReflectorPhase::kListing;
    status.listed_objects = streaming->collected.size();
    status.listed_bytes = listed_bytes_;
  } else if (const auto* paged = std::get_if<PagedList>(&state_)) {
    status.phase = ReflectorPhase::kListing;
    status.listed_objects = paged->items.size();
    status.listed_bytes = listed_bytes_;
    status.remaining_objects = remaining_;
  } else if (std::holds_alternative<Watching>(state_)) {
    status.phase = ReflectorPhase::kWatching;
  } else if (const auto* wait = std::get_if<BackingOff>(&state_)) {
    status.phase = wait->parked ? ReflectorPhase::kParked : ReflectorPhase::kBackingOff;
  }
}

void ReflectorState::Report(const Error& error) {
  last_error_ = error;
  ++memory_.errors;
  Do(ReportError{error});
}

void ReflectorState::ReportFailure(const Error& error) {
  const bool repeated = outage_ && IsSameCause(outage_->last, error);
  if (!outage_) outage_ = Outage{.since = now_};
  ++outage_->failures;
  outage_->last = error;
  last_error_ = error;
  ++memory_.errors;
  Do(ReportError{error, repeated});
}

void ReflectorState::Recovered() {
  if (!outage_) return;
  const auto seconds_down = std::chrono::duration_cast<seconds>(now_ - outage_->since);
  Log(LogLevel::kInfo, "watching again after " + std::to_string(outage_->failures) + " failures in " +
                           std::to_string(seconds_down.count()) + " s");
  outage_.reset();
}

void ReflectorState::Log(LogLevel level, std::string message) { Do(LogLine{level, std::move(message)}); }

std::chrono::seconds ReflectorState::WatchTimeout() {
  const seconds least = std::max(kLeastWatchTimeout, rules_.min_watch_timeout);
  return seconds(std::uniform_int_distribution<seconds::rep>(least.count(), 2 * least.count() - 1)(random_));
}

std::int64_t ReflectorState::PageSize(const std::string& resource_version) const {
  if (rules_.page_size > 0) return rules_.page_size;
  if (memory_.pages_at_zero || IsNoVersion(resource_version)) return kPageSize;
  // Servers answer a list at a version from the watch cache only if it has no limit.
  return 0;
}

void ReflectorState::On(Started event) {
  if (!std::holds_alternative<Idle>(state_)) return;
  supports_streaming_ = event.supports_streaming;
  BeginSeed();
}

void ReflectorState::On(Stopped) {
  const bool streams = std::holds_alternative<StreamingList>(state_) || std::holds_alternative<PagedList>(state_) ||
                       std::holds_alternative<Watching>(state_);
  if (streams) Do(CancelStream{});
  state_ = Idle{};
}

void ReflectorState::On(TimerFired) {
  if (const auto* wait = std::get_if<BackingOff>(&state_)) {
    if (now_ < wait->until) return Do(SetTimer{wait->until});
    if (wait->next == Next::kSeed) return BeginSeed();
    return BeginWatch();
  }
  if (const auto* watch = std::get_if<Watching>(&state_)) {
    if (now_ < watch->watchdog) return Do(SetTimer{watch->watchdog});
    // The server should have ended the watch by now. Our version is still valid, so treat this like a regular close.
    Log(LogLevel::kWarning, "server did not end the watch at its timeout; closed it");
    Do(CancelStream{});
    return BeginWatch();
  }
  if (const auto* list = std::get_if<StreamingList>(&state_)) {
    if (now_ < Deadline(*list)) return Do(SetTimer{Deadline(*list)});
    StreamingListOverdue(*list);
  }
}

void ReflectorState::On(const Resumed& event) {
  if (auto* watch = std::get_if<Watching>(&state_)) {
    watch->watchdog = SaturatingAdd(watch->watchdog, event.paused);
    return Do(SetTimer{watch->watchdog});
  }
  if (auto* list = std::get_if<StreamingList>(&state_)) {
    for (TimePoint* time : {&list->began, &list->last_progress, &list->watchdog}) {
      *time = SaturatingAdd(*time, event.paused);
    }
    Do(SetTimer{Deadline(*list)});
  }
}

// --- Seeds ---

void ReflectorState::BeginSeed() {
  if (rules_.streaming_lists && supports_streaming_ && !memory_.streaming_unsupported) {
    BeginStreamingList();
  } else {
    BeginPagedList(false);
  }
}

void ReflectorState::BeginStreamingList() {
  listed_bytes_ = 0;
  const seconds timeout = WatchTimeout();
  StreamingList list{
      .request = {.resource_version = memory_.version_unavailable ? std::string() : memory_.resource_version,
                  .resource_version_match = "NotOlderThan",
                  .send_initial_events = true,
                  .allow_bookmarks = true,
                  .timeout = timeout},
      .began = now_,
      .last_progress = now_,
      .watchdog = now_ + timeout + rules_.watchdog_slack};
  ++stream_;
  Do(StartWatch{list.request});
  Do(SetTimer{Deadline(list)});
  state_ = std::move(list);
}

TimePoint ReflectorState::Deadline(const StreamingList& list) const {
  return std::min({list.last_progress + rules_.streaming_list_deadline,
                   list.began + kStreamingListFactor * rules_.streaming_list_deadline, list.watchdog});
}

void ReflectorState::StreamingListOverdue(const StreamingList& list) {
  Do(CancelStream{});
  if (!list.opened) {
    // No response at all, so this says nothing about what the server supports.
    ReportFailure({.code = ErrorCode::kDeadlineExceeded, .message = "no answer to the request for a streaming list"});
    return BeginPagedList(false);
  }
  if (now_ >= list.watchdog) return StreamingListCut();
  GiveUpStreaming(LogLevel::kWarning, "no initial-events-end bookmark before the deadline");
  BeginPagedList(false);
}

void ReflectorState::GiveUpStreaming(LogLevel level, const std::string& why) {
  memory_.streaming_unsupported = true;
  ++memory_.streaming_fallbacks;
  Log(level, "using paged lists from now on: " + why);
}

void ReflectorState::TakeSeedEvent(StreamingList& list, TakenEvent& event) {
  const auto& [type, received, error] = event.received;
  if (type == WatchEventType::kError) {
    Do(CancelStream{});
    return StreamingListFailed(error);
  }
  if (received == nullptr) {
    ++list.skipped;
    return;
  }
  if (type == WatchEventType::kBookmark) {
    if (received->Annotations().Find(kInitialEventsEnd) == "true") FinishStreamingList(list, *received);
    return;
  }
  if (!event.stored) {
    Do(CancelStream{});
    ReportFailure(event.stored.error());
    return BackOff(Next::kSeed, {});
  }
  if (type == WatchEventType::kDeleted || *event.stored == nullptr) {
    list.collected.Remove(received->Key());
  } else {
    CountListed(**event.stored);
    list.collected.Put(received->Key(), *std::move(event.stored));
  }
}

void ReflectorState::FinishStreamingList(StreamingList& list, const Object& bookmark) {
  if (list.collected.size() == 0 && list.skipped > 0) {
    Do(CancelStream{});
    ReportFailure(NoExpectedObjects(list.skipped));
    return BackOff(Next::kSeed, {});
  }
  cuts_ = 0;
  kind_missing_ = false;
  ++memory_.lists;
  ++memory_.watches;
  memory_.resource_version = bookmark.ResourceVersion();
  memory_.version_unavailable = false;
  Recovered();
  Do(ReplaceAll(list.collected.Take(), memory_.resource_version));
  // The same stream continues as the watch. `events = 1`: having delivered events, it does not count as very short.
  const Watching watch{
      .opened = now_, .watchdog = list.watchdog, .events = 1, .synthetic = IsNoVersion(memory_.resource_version)};
  Do(SetTimer{watch.watchdog});
  state_ = watch;
}

void ReflectorState::StreamingListFailed(const Error& error) {
  const bool asked_for_newest = std::get<StreamingList>(state_).request.resource_version.empty();
  if (WantsNewest(error) && !asked_for_newest) {
    ReportFailure(error);
    memory_.version_unavailable = true;
    return BeginStreamingList();
  }
  if (IsBusyOrAway(error) || WantsNewest(error)) {
    ReportFailure(error);
    return BackOff(Next::kSeed, error.retry_after);
  }
  if (IsBroken(error)) {
    ReportFailure(error);
    return StreamingListCut();
  }
  if (IsNotFound(error)) return Park(error);
  if (IsInvalid(error) || IsBadRequest(error)) {
    // Not reported: either the server predates the feature, or the request is invalid, which the paged list will
    // reveal.
    streaming_refused_ = error;
  } else {
    ReportFailure(error);
    Log(LogLevel::kInfo, "streaming list failed, using a paged list once: " + ToString(error));
  }
  BeginPagedList(false);
}

void ReflectorState::StreamingListCut() {
  // The collected objects are incomplete and must not reach the target.
  ++cuts_;
  Log(LogLevel::kInfo, "a streaming list ended before its bookmark");
  if (cuts_ == 1) return BeginStreamingList();
  if (cuts_ < kMaxCuts) return BackOff(Next::kSeed, {});
  cuts_ = 0;
  BeginPagedList(false);
}

void ReflectorState::BeginPagedList(bool is_retry) {
  std::string version = memory_.resource_version.empty() ? "0" : memory_.resource_version;
  if (memory_.version_unavailable) version.clear();
  PagedList list{.first = {.resource_version = version, .limit = PageSize(version)}, .is_retry = is_retry};
  // With a limit, a version without a match rule means exactly that version. If that version is too old to watch from,
  // the refused watch and a list returning the same version would alternate until the server compacts it.
  if (list.first.limit > 0 && !IsNoVersion(version)) list.first.resource_version_match = "NotOlderThan";
  list.page = list.first;
  remaining_.reset();
  listed_bytes_ = 0;
  RequestPage(list);
  state_ = std::move(list);
}

void ReflectorState::RequestPage(PagedList& list) {
  ++stream_;
  list.page_is_empty = true;
  Do(StartList{list.page});
}

void ReflectorState::On(ListItems event) {
  auto* list = std::get_if<PagedList>(&state_);
  if (list == nullptr) return;
  Heard();
  if (event.items.error) {
    Do(CancelStream{});
    ReportFailure(*event.items.error);
    return BackOff(Next::kSeed, {});
  }
  list->skipped += event.items.skipped;
  list->page_is_empty = list->page_is_empty && event.items.objects.empty() && event.items.skipped == 0;
  for (const ObjectPtr& object : event.items.objects) CountListed(*object);
  list->items.insert(list->items.end(), std::make_move_iterator(event.items.objects.begin()),
                     std::make_move_iterator(event.items.objects.end()));
}

std::optional<Error> ReflectorState::CheckPage(const PagedList& list, const ListMeta& end) const {
  const auto malformed = [](std::string message) {
    return Error{.code = ErrorCode::kMalformed, .message = std::move(message)};
  };
  if (end.continue_token.empty()) {
    if (list.items.empty() && list.skipped > 0) return NoExpectedObjects(list.skipped);
    return std::nullopt;
  }
  if (end.continue_token == list.page.continue_token) return malformed("server returned the same continue token twice");
  if (list.empty_pages >= kMaxEmptyPages) {
    return malformed("server returned " + std::to_string(list.empty_pages) + " consecutive empty pages");
  }
  return std::nullopt;
}

void ReflectorState::On(ListPageEnded event) {
  auto* list = std::get_if<PagedList>(&state_);
  if (list == nullptr) return;
  Heard();
  remaining_ = event.end.remaining_item_count;
  list->empty_pages = list->page_is_empty ? list->empty_pages + 1 : 0;
  if (const std::optional<Error> error = CheckPage(*list, event.end)) return On(ListFailed{*error});
  if (!event.end.continue_token.empty()) {
    // The continue token carries the version; the API rejects a request with both.
    list->page.resource_version.clear();
    list->page.resource_version_match.clear();
    list->page.continue_token = std::move(event.end.continue_token);
    list->beyond_first = true;
    return RequestPage(*list);
  }
  kind_missing_ = false;
  if (streaming_refused_) {
    GiveUpStreaming(LogLevel::kInfo, "the server refused a streaming list: " + ToString(*streaming_refused_));
    streaming_refused_.reset();
  }
  if (list->first.resource_version == "0" && list->beyond_first) memory_.pages_at_zero = true;
  ++memory_.lists;
  memory_.resource_version = std::move(event.end.resource_version);
  memory_.version_unavailable = false;
  Do(ReplaceAll(std::move(list->items), memory_.resource_version));
  BeginWatch();
}

void ReflectorState::On(const ListFailed& event) {
  auto* list = std::get_if<PagedList>(&state_);
  if (list == nullptr) return;
  const Error& error = event.error;
  streaming_refused_.reset();
  if (IsNotFound(error)) return Park(error);
  ReportFailure(error);
  if (IsExpired(error) && list->beyond_first) {
    // The version of the pages expired, not ours: list again without pages, which cannot expire half-way.
    list->beyond_first = false;
    list->items.clear();
    list->skipped = 0;
    list->empty_pages = 0;
    listed_bytes_ = 0;
    list->page = list->first;
    list->page.limit = 0;
    remaining_.reset();
    return RequestPage(*list);
  }
  if (WantsNewest(error) && !list->is_retry && !list->first.resource_version.empty()) {
    memory_.version_unavailable = true;
    return BeginPagedList(true);
  }
  if (IsRefusedAsWrong(error) && !IsNoVersion(list->first.resource_version)) memory_.version_unavailable = true;
  BackOff(Next::kSeed, error.retry_after);
}

// --- Watches ---

void ReflectorState::BeginWatch() {
  const seconds timeout = WatchTimeout();
  const Watching watch{.opened = now_,
                       .watchdog = now_ + timeout + rules_.watchdog_slack,
                       .synthetic = IsNoVersion(memory_.resource_version)};
  ++stream_;
  ++memory_.watches;
  Do(StartWatch{{.resource_version = memory_.resource_version, .allow_bookmarks = true, .timeout = timeout}});
  Do(SetTimer{watch.watchdog});
  state_ = watch;
}

void ReflectorState::On(WatchOpened) {
  if (auto* list = std::get_if<StreamingList>(&state_)) {
    Heard();
    // Restart the clock: from here on the time measures the server, not the connection setup.
    if (!list->opened) list->began = now_;
    list->opened = true;
    list->last_progress = now_;
  } else if (auto* watch = std::get_if<Watching>(&state_)) {
    Heard();
    Recovered();
    if (watch->events == 0) watch->opened = now_;
  }
}

void ReflectorState::On(WatchEvents event) {
  const std::uint64_t stream = stream_;
  for (TakenEvent& taken : event.events) {
    auto* list = std::get_if<StreamingList>(&state_);
    auto* watch = std::get_if<Watching>(&state_);
    if (stream != stream_ || (list == nullptr && watch == nullptr)) return;  // the previous event ended the stream
    Heard();
    if (list != nullptr) {
      list->opened = true;
      list->last_progress = now_;
      TakeSeedEvent(*list, taken);
    } else {
      TakeWatchEvent(*watch, taken);
    }
  }
}

void ReflectorState::TakeWatchEvent(Watching& watch, TakenEvent& event) {
  auto& [type, received, error] = event.received;
  if (type == WatchEventType::kError) {
    Do(CancelStream{});
    ++watch.events;
    return WatchBroke(watch, error);
  }
  if (received == nullptr) return;
  Recovered();
  ++watch.events;
  if (type != WatchEventType::kAdded) watch.synthetic = false;
  const std::string_view version = received->ResourceVersion();
  if (!watch.synthetic && !version.empty()) memory_.resource_version = version;
  if (type == WatchEventType::kBookmark) {
    if (!version.empty()) Do(Delta{.kind = Delta::Kind::kBookmark, .resource_version = std::string(version)});
    return;
  }
  if (!event.stored) {
    // An object that cannot be transformed costs its event, not the watch: a relist would hit it again. The cache keeps
    // the previous state, but deletions are still applied.
    Report(event.stored.error());
    if (type == WatchEventType::kDeleted) {
      Do(Delta{.kind = Delta::Kind::kDrop, .object = std::move(received)});
    } else if (!watch.synthetic && !version.empty()) {
      Do(Delta{.kind = Delta::Kind::kBookmark, .resource_version = std::string(version)});
    }
    return;
  }
  if (*event.stored == nullptr) return Do(Delta{.kind = Delta::Kind::kDrop, .object = std::move(received)});
  Do(Delta{.kind = DeltaKindOf(type), .object = *std::move(event.stored)});
}

void ReflectorState::On(WatchClosed) {
  if (std::holds_alternative<StreamingList>(state_)) {
    Heard();
    return StreamingListCut();
  }
  const auto* watch = std::get_if<Watching>(&state_);
  if (watch == nullptr) return;
  Heard();
  if (watch->events == 0 && now_ - watch->opened < kVeryShort) {
    ReportFailure({.code = ErrorCode::kDisconnected,
                   .message = "a very short watch: the server ended it within a second and without an event"});
    return BackOff(Next::kSeed, {});
  }
  BeginWatch();
}

void ReflectorState::On(const WatchFailed& event) {
  if (std::holds_alternative<StreamingList>(state_)) return StreamingListFailed(event.error);
  if (const auto* watch = std::get_if<Watching>(&state_)) WatchBroke(*watch, event.error);
}

void ReflectorState::WatchBroke(const Watching& watch, const Error& error) {
  ReportFailure(error);
  if (IsBusyOrAway(error)) return BackOff(Next::kWatch, error.retry_after);
  if (IsBroken(error)) {
    // A broken connection is no reason to relist: our state is still valid and the watch can resume from it. At once if
    // the watch had worked; otherwise with back-off, so as not to hammer a server whose connections break at once.
    const bool worked = watch.events > 0 || now_ - watch.opened >= kVeryShort;
    return worked ? BeginWatch() : BackOff(Next::kWatch, {});
  }
  if (IsInternalError(error) && MayRetryInternalError()) return BackOff(Next::kWatch, error.retry_after);
  // This includes 410: the list that follows asks for the last version or newer, and for the newest if that is refused.
  BackOff(Next::kSeed, error.retry_after);
}

bool ReflectorState::MayRetryInternalError() {
  if (rules_.max_internal_error_retry.count() <= 0) return false;
  if (!first_internal_error_ || now_ - last_internal_error_ > kInternalErrorQuiet) first_internal_error_ = now_;
  last_internal_error_ = now_;
  if (now_ - *first_internal_error_ <= rules_.max_internal_error_retry) return true;
  first_internal_error_.reset();
  return false;
}

// A list of a kind returns 404 only if the kind does not exist: its CustomResourceDefinition has not been created yet,
// or was deleted. That is a state, not a failure, so it is reported once and polled at a steady interval. The target
// keeps its objects: a server that briefly loses a kind must not look like the deletion of everything.
void ReflectorState::Park(const Error& error) {
  if (!kind_missing_) {
    kind_missing_ = true;
    ReportFailure(error);
    Log(LogLevel::kInfo, "the server does not have this kind; waiting for it");
  }
  const auto poll = std::chrono::duration_cast<Duration>(rules_.missing_kind_poll);
  // Jitter, so that many informers do not poll in step.
  const Duration delay = poll + Duration(std::uniform_int_distribution<Duration::rep>(0, poll.count() / 2)(random_));
  state_ = BackingOff{.until = now_ + delay, .next = Next::kSeed, .parked = true};
  Do(SetTimer{now_ + delay});
}

void ReflectorState::CountListed(const Object& object) { listed_bytes_ += object.Json().size(); }

void ReflectorState::BackOff(Next next, std::optional<seconds> at_least) {
  const seconds asked = std::min(at_least.value_or(seconds(0)), kLongestRetryAfter);
  const Duration delay = std::max(backoff_.Next(now_), Duration(asked));
  state_ = BackingOff{.until = now_ + delay, .next = next};
  Do(SetTimer{now_ + delay});
}

}  // namespace kinformer::internal
