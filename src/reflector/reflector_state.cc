#include "src/reflector/reflector_state.h"

#include <algorithm>
#include <utility>

#include <kinformer/meta/status_error.h>

namespace kinformer::internal {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kPageSize = 500;
constexpr seconds kLeastWatchTimeout = std::chrono::minutes(5);
/// A watch that ends sooner, having said nothing, is not worth resuming.
constexpr seconds kVeryShort{1};
/// A streaming list may take this many times the deadline between two events in all: a server that ignores
/// sendInitialEvents sends ordinary events for ever, which look like progress.
constexpr int kStreamingListFactor = 10;
/// Streaming lists that may be cut in a row before this pass makes do with a paged one.
constexpr int kMaxCuts = 3;
/// A server fills its pages; so many in a row with nothing in them are no list that ever ends.
constexpr int kMaxEmptyPages = 1000;
/// A server that asks for more is not obeyed: nobody knows whether it will be the one that answers then.
constexpr seconds kLongestRetryAfter = std::chrono::minutes(10);
constexpr std::chrono::minutes kInternalErrorQuiet{1};
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

bool IsExpired(const Error& error) { return IsResourceExpired(error) || IsGone(error); }
/// The version that was asked for is of no use; the newest is.
bool WantsNewest(const Error& error) { return IsExpired(error) || IsTooLargeResourceVersion(error); }
/// The server did not look at the request at all: what we know is as good as before.
bool IsBusyOrAway(const Error& error) { return error.code == ErrorCode::kUnreachable || IsTooManyRequests(error); }
/// The connection broke, which says nothing about our version.
bool IsBroken(const Error& error) {
  return error.code == ErrorCode::kDisconnected || error.code == ErrorCode::kDeadlineExceeded;
}
/// What we asked for makes no sense to the server, the version perhaps: another server may have made it up.
bool IsRefusedAsWrong(const Error& error) { return IsBadRequest(error) || IsInvalid(error); }
/// A list of which nothing is ours is an answer to another question, not the news that everything is gone.
Error NothingIsOurs(std::size_t skipped) {
  return {.code = ErrorCode::kMalformed,
          .message = "all " + std::to_string(skipped) + " objects of the list are of another kind or namespace"};
}
bool IsNoVersion(std::string_view resource_version) { return resource_version.empty() || resource_version == "0"; }

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
  status.last_heard = last_heard_;
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

void ReflectorState::Log(LogLevel level, std::string message) { Do(LogLine{level, std::move(message)}); }

std::chrono::seconds ReflectorState::WatchTimeout() {
  const seconds least = std::max(kLeastWatchTimeout, rules_.min_watch_timeout);
  return seconds(std::uniform_int_distribution<seconds::rep>(least.count(), 2 * least.count() - 1)(random_));
}

std::int64_t ReflectorState::PageSize(const std::string& resource_version) const {
  if (rules_.page_size > 0) return rules_.page_size;
  if (memory_.pages_at_zero || IsNoVersion(resource_version)) return kPageSize;
  // A list at a version comes from the server's watch cache only when it is not limited.
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
    // The server was to end it before. Nothing is wrong with our version, so this is as good as its own close.
    Log(LogLevel::kWarning, "the server did not end a watch at its time limit; ended it from here");
    Do(CancelStream{});
    return BeginWatch();
  }
  if (const auto* list = std::get_if<StreamingList>(&state_)) {
    if (now_ < Deadline(*list)) return Do(SetTimer{Deadline(*list)});
    StreamingListOverdue(*list);
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
    // Nobody has answered yet, so this says nothing about what the server can do.
    Report({.code = ErrorCode::kDeadlineExceeded, .message = "no answer to the request for a streaming list"});
    return BeginPagedList(false);
  }
  if (now_ >= list.watchdog) return StreamingListCut();
  GiveUpStreaming("the bookmark that ends a streaming list did not come in time");
  BeginPagedList(false);
}

void ReflectorState::GiveUpStreaming(const std::string& why) {
  memory_.streaming_unsupported = true;
  ++memory_.streaming_fallbacks;
  Log(LogLevel::kWarning, "paged lists from now on: " + why);
}

void ReflectorState::TakeSeedEvent(StreamingList& list, TakenEvent& event) {
  if (event.type == WatchEventType::kError) {
    Do(CancelStream{});
    return StreamingListFailed(*event.error);
  }
  if (event.original == nullptr) {
    ++list.skipped;
    return;
  }
  if (event.type == WatchEventType::kBookmark) {
    if (event.original->Annotations().Find(kInitialEventsEnd) == "true") FinishStreamingList(list, *event.original);
    return;
  }
  if (event.error) {
    Do(CancelStream{});
    Report(*event.error);
    return BackOff(Next::kSeed, {});
  }
  if (event.type == WatchEventType::kDeleted || event.object == nullptr) {
    list.collected.Remove(event.original->Key());
  } else {
    CountListed(*event.object);
    list.collected.Put(event.original->Key(), std::move(event.object));
  }
}

void ReflectorState::FinishStreamingList(StreamingList& list, const Object& bookmark) {
  if (list.collected.size() == 0 && list.skipped > 0) {
    Do(CancelStream{});
    Report(NothingIsOurs(list.skipped));
    return BackOff(Next::kSeed, {});
  }
  cuts_ = 0;
  kind_missing_ = false;
  ++memory_.lists;
  ++memory_.watches;
  memory_.resource_version = bookmark.ResourceVersion();
  memory_.version_unavailable = false;
  Do(TellReplace{list.collected.Take(), memory_.resource_version});
  // The same stream goes on; having spoken, it cannot be a very short one.
  const Watching watch{
      .opened = now_, .watchdog = list.watchdog, .events = 1, .synthetic = IsNoVersion(memory_.resource_version)};
  Do(SetTimer{watch.watchdog});
  state_ = watch;
}

void ReflectorState::StreamingListFailed(const Error& error) {
  const bool asked_for_newest = std::get<StreamingList>(state_).request.resource_version.empty();
  if (WantsNewest(error) && !asked_for_newest) {
    Report(error);
    memory_.version_unavailable = true;
    return BeginStreamingList();
  }
  if (IsBusyOrAway(error) || WantsNewest(error)) {
    Report(error);
    return BackOff(Next::kSeed, error.retry_after);
  }
  if (IsBroken(error)) {
    Report(error);
    return StreamingListCut();
  }
  if (IsNotFound(error)) return Park(error);
  if (IsInvalid(error) || IsBadRequest(error)) {
    // Not reported: nothing failed, the server is only older than the feature.
    GiveUpStreaming("the server refused a streaming list: " + ToString(error));
  } else {
    Report(error);
    Log(LogLevel::kInfo, "a paged list this time, the streaming list failed: " + ToString(error));
  }
  BeginPagedList(false);
}

void ReflectorState::StreamingListCut() {
  // What has been collected is incomplete: none of it may reach the target.
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
  // Beside a limit, a version alone means exactly that state, and from there no watch may go on any more: a watch that
  // is refused and a list that brings its version back would follow each other until the server forgets the list, too.
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
    Report(*event.items.error);
    return BackOff(Next::kSeed, {});
  }
  list->skipped += event.items.skipped;
  list->page_is_empty = list->page_is_empty && event.items.objects.empty() && event.items.skipped == 0;
  for (const ObjectPtr& object : event.items.objects) CountListed(*object);
  list->items.insert(list->items.end(), std::make_move_iterator(event.items.objects.begin()),
                     std::make_move_iterator(event.items.objects.end()));
}

std::optional<Error> ReflectorState::WhyNoPage(const PagedList& list, const ListEnd& end) const {
  const auto malformed = [](std::string message) {
    return Error{.code = ErrorCode::kMalformed, .message = std::move(message)};
  };
  if (end.continue_token.empty()) {
    if (list.items.empty() && list.skipped > 0) return NothingIsOurs(list.skipped);
    return std::nullopt;
  }
  if (end.continue_token == list.page.continue_token) return malformed("a page of the list names itself as the next");
  if (list.empty_pages >= kMaxEmptyPages) {
    return malformed("the list goes on for " + std::to_string(list.empty_pages) + " pages without an item");
  }
  return std::nullopt;
}

void ReflectorState::On(ListPageEnded event) {
  auto* list = std::get_if<PagedList>(&state_);
  if (list == nullptr) return;
  Heard();
  remaining_ = event.end.remaining_item_count;
  list->empty_pages = list->page_is_empty ? list->empty_pages + 1 : 0;
  if (const std::optional<Error> error = WhyNoPage(*list, event.end)) return On(ListFailed{*error});
  if (!event.end.continue_token.empty()) {
    // The token carries the version; naming one beside it is an error.
    list->page.resource_version.clear();
    list->page.resource_version_match.clear();
    list->page.continue_token = std::move(event.end.continue_token);
    list->beyond_first = true;
    return RequestPage(*list);
  }
  kind_missing_ = false;
  if (list->first.resource_version == "0" && list->beyond_first) memory_.pages_at_zero = true;
  ++memory_.lists;
  memory_.resource_version = std::move(event.end.resource_version);
  memory_.version_unavailable = false;
  Do(TellReplace{std::move(list->items), memory_.resource_version});
  BeginWatch();
}

void ReflectorState::On(const ListFailed& event) {
  auto* list = std::get_if<PagedList>(&state_);
  if (list == nullptr) return;
  const Error& error = event.error;
  if (IsNotFound(error)) return Park(error);
  Report(error);
  if (IsExpired(error) && list->beyond_first) {
    // The pages' version is gone, not ours: once more in one piece, which cannot expire half-way.
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
    // From here on it is the server that takes its time, not the way to it.
    if (!list->opened) list->began = now_;
    list->opened = true;
    list->last_progress = now_;
  } else if (auto* watch = std::get_if<Watching>(&state_)) {
    Heard();
    if (watch->events == 0) watch->opened = now_;
  }
}

void ReflectorState::On(WatchEvents event) {
  const std::uint64_t stream = stream_;
  for (TakenEvent& taken : event.events) {
    auto* list = std::get_if<StreamingList>(&state_);
    auto* watch = std::get_if<Watching>(&state_);
    if (stream != stream_ || (list == nullptr && watch == nullptr)) return;  // the event before ended the stream
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
  if (event.type == WatchEventType::kError) {
    Do(CancelStream{});
    ++watch.events;
    return WatchBroke(watch, *event.error);
  }
  if (event.original == nullptr) return;
  ++watch.events;
  if (event.type != WatchEventType::kAdded) watch.synthetic = false;
  const std::string_view version = event.original->ResourceVersion();
  if (!watch.synthetic && !version.empty()) memory_.resource_version = version;
  if (event.type == WatchEventType::kBookmark) {
    if (!version.empty()) Do(TellBookmark{std::string(version)});
    return;
  }
  // One object that cannot be transformed costs its event, not the watch: a relist would meet it again.
  if (event.error) return Report(*event.error);
  if (event.object == nullptr) return;
  switch (event.type) {
    case WatchEventType::kAdded:
      return Do(TellAdd{std::move(event.object)});
    case WatchEventType::kModified:
      return Do(TellUpdate{std::move(event.object)});
    case WatchEventType::kDeleted:
      return Do(TellDelete{std::move(event.object)});
    case WatchEventType::kBookmark:
    case WatchEventType::kError:
      break;
  }
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
    Report({.code = ErrorCode::kDisconnected,
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
  Report(error);
  if (IsBusyOrAway(error)) return BackOff(Next::kWatch, error.retry_after);
  if (IsBroken(error)) {
    // A broken connection is no reason to list again: what we have seen is still true, and the watch can go on from
    // there. At once if it had worked; else a connection that breaks as soon as it is made would be hammered.
    const bool worked = watch.events > 0 || now_ - watch.opened >= kVeryShort;
    return worked ? BeginWatch() : BackOff(Next::kWatch, {});
  }
  if (IsInternalError(error) && MayRetryInternalError()) return BackOff(Next::kWatch, error.retry_after);
  // Among them 410: the list that follows asks for the last version or newer, and for the newest if that is refused.
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

// A list of all objects of a kind is not found only where there is no such kind: a CustomResourceDefinition that has
// not been made yet, or has been deleted. That is a state, not a failure, so it is told once and asked after at a
// steady pace. What the target has stays: a server that forgets a kind for a moment must not look like a deletion of
// everything.
void ReflectorState::Park(const Error& error) {
  if (!kind_missing_) {
    kind_missing_ = true;
    Report(error);
    Log(LogLevel::kInfo, "the server does not have this kind; waiting for it");
  }
  const auto poll = std::chrono::duration_cast<Duration>(rules_.missing_kind_poll);
  // Spread, so that a thousand informers do not ask in step.
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
