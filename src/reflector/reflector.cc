#include "src/reflector/reflector.h"

#include <atomic>
#include <deque>
#include <exception>
#include <utility>
#include <variant>

#include <kinformer/base/mutex.h>

#include "src/reflector/intake.h"
#include "src/reflector/reflector_state.h"

namespace kinformer::internal {
namespace {

/// Parts of a stream that one task turn takes, so that the pool's other reflectors get their share.
constexpr int kPartsPerTurn = 64;

Error SourceThrew(std::string_view what) {
  return Error{.code = ErrorCode::kInternal, .message = "the ListerWatcher threw: " + std::string(what)};
}

/// Runs what a user wrote; nothing it throws gets past.
template <typename Call>
auto Guarded(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& e) {
    return SourceThrew(e.what());
  } catch (...) {
    return SourceThrew("something that is no std::exception");
  }
}

ReflectorRules RulesOf(const ReflectorOptions& options) {
  return {.backoff = options.backoff,
          .streaming_lists = options.streaming_lists,
          .streaming_list_deadline = options.streaming_list_deadline,
          .page_size = options.page_size,
          .min_watch_timeout = options.min_watch_timeout,
          .watchdog_slack = options.watchdog_slack,
          .max_internal_error_retry = options.max_internal_error_retry,
          .missing_kind_poll = options.missing_kind_poll,
          .seed = options.seed};
}

}  // namespace

/// What all runs of a reflector share.
struct Reflector::Shared {
  Shared(TaskPool& p, std::shared_ptr<ListerWatcher> s, ReflectorTarget& t, ReflectorOptions o,
         std::function<void(const Error&)> e)
      : pool(p),
        source(std::move(s)),
        target(t),
        options(std::move(o)),
        on_error(std::move(e)),
        intake({.name = options.name,
                .expected = options.expected,
                .expected_namespace = options.expected_namespace,
                .transform = options.transform,
                .known = options.known,
                .logger = options.logger}) {}

  TaskPool& pool;
  const std::shared_ptr<ListerWatcher> source;
  ReflectorTarget& target;
  const ReflectorOptions options;
  const std::function<void(const Error&)> on_error;
  const Intake intake;

  Mutex mutex;
  std::shared_ptr<Run> current KINFORMER_GUARDED_BY(mutex);  ///< Null while stopped.
  std::uint64_t run KINFORMER_GUARDED_BY(mutex) = 0;         ///< The number of the last one begun.
  ReflectorStatus status KINFORMER_GUARDED_BY(mutex);
  ReflectorMemory memory KINFORMER_GUARDED_BY(mutex);
};

/// From a Start to its Stop. All but Begin and End runs on its tasks.
class Reflector::Run : public std::enable_shared_from_this<Run> {
 public:
  Run(std::shared_ptr<Shared> shared, std::uint64_t number, ReflectorMemory memory)
      : shared_(std::move(shared)),
        number_(number),
        clock_(shared_->pool.clock()),
        tasks_(std::make_shared<SerialTasks>(shared_->pool)),
        state_(RulesOf(shared_->options), std::move(memory)) {}

  void Begin() {
    Post([](Run& run) {
      const Result<bool> supports = Guarded([&]() -> Result<bool> { return run.Source().SupportsStreamingLists(); });
      run.Step(Started{.supports_streaming = supports && *supports});
    });
  }

  void End() {
    // Seen by a task under way before each of its calls: it may be the very one that we are called from.
    stopping_ = true;
    const bool own_call = tasks_->RunningHere();
    tasks_->Close();
    if (!own_call) Clear();
  }

 private:
  using Stream = std::variant<std::monostate, std::unique_ptr<ListStream>, std::unique_ptr<WatchEventStream>>;

  ListerWatcher& Source() { return *shared_->source; }

  // Tasks and notifications hold the run weakly: the last reference must not be dropped on an I/O thread, which the
  // streams that die with it may have to wait for.
  void Post(std::function<void(Run&)> task) {
    tasks_->Post([weak = weak_from_this(), task = std::move(task)] { Enter(weak, task); });
  }

  static void Enter(const std::weak_ptr<Run>& weak, const std::function<void(Run&)>& task) {
    const std::shared_ptr<Run> run = weak.lock();
    if (run == nullptr || run->stopping_) return;
    task(*run);
    if (run->stopping_) run->Clear();
  }

  void Clear() {
    state_.Step(Stopped{}, clock_->Now());
    stream_ = std::monostate{};
    Publish();
  }

  void Publish() {
    const MutexLock lock(shared_->mutex);
    if (shared_->run != number_) return;  // another has taken over; this one was stopped from one of its own calls
    state_.Update(shared_->status);
    shared_->memory = state_.memory();
  }

  void Step(ReflectorEvent event) {
    std::deque<ReflectorEvent> events;
    events.push_back(std::move(event));
    while (!events.empty()) {
      std::vector<ReflectorAction> actions = state_.Step(std::move(events.front()), clock_->Now());
      events.pop_front();
      const Batch batch(*this, actions.size() > 1);
      for (ReflectorAction& action : actions) {
        if (stopping_) return;
        if (std::optional<ReflectorEvent> outcome = Do(std::move(action))) events.push_back(*std::move(outcome));
      }
    }
    Publish();
  }

  /// What one step tells the target, told together.
  class Batch {
   public:
    Batch(Run& run, bool worth_it) : run_(worth_it ? &run : nullptr) {
      if (run_ != nullptr) run_->Tell([this] { run_->shared_->target.BeginBatch(); });
    }
    ~Batch() {
      if (run_ != nullptr) run_->Tell([this] { run_->shared_->target.EndBatch(); });
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    Run* const run_;
  };

  /// What came of it at once, where that matters.
  std::optional<ReflectorEvent> Do(ReflectorAction action) {
    return std::visit([this](auto&& a) { return Act(std::forward<decltype(a)>(a)); }, std::move(action));
  }

  std::optional<ReflectorEvent> Act(StartList action) {
    Result<std::unique_ptr<ListStream>> stream =
        Guarded([&]() -> Result<std::unique_ptr<ListStream>> { return Source().List(action.request); });
    return Began<ListFailed>(std::move(stream));
  }
  std::optional<ReflectorEvent> Act(StartWatch action) {
    Result<std::unique_ptr<WatchEventStream>> stream =
        Guarded([&]() -> Result<std::unique_ptr<WatchEventStream>> { return Source().Watch(action.request); });
    return Began<WatchFailed>(std::move(stream));
  }
  template <typename Failed, typename StreamPtr>
  std::optional<ReflectorEvent> Began(Result<StreamPtr> stream) {
    ++generation_;
    stream_ = std::monostate{};
    if (!stream) return Failed{std::move(stream).error()};
    if (*stream == nullptr)
      return Failed{{.code = ErrorCode::kInternal, .message = "the ListerWatcher gave no stream"}};
    stream_ = *std::move(stream);
    PostPump();
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(CancelStream) {
    ++generation_;
    stream_ = std::monostate{};
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(TellAdd action) {
    return Tell([&] { shared_->target.Add(std::move(action.object)); });
  }
  std::optional<ReflectorEvent> Act(TellUpdate action) {
    return Tell([&] { shared_->target.Update(std::move(action.object)); });
  }
  std::optional<ReflectorEvent> Act(TellDelete action) {
    return Tell([&] { shared_->target.Delete(std::move(action.object)); });
  }
  std::optional<ReflectorEvent> Act(TellReplace action) {
    // Published first, so that whoever waits for the first list does not find it still under way.
    Publish();
    return Tell([&] { shared_->target.Replace(std::move(action.objects), std::move(action.resource_version)); });
  }
  std::optional<ReflectorEvent> Act(TellBookmark action) {
    return Tell([&] { shared_->target.Bookmark(std::move(action.resource_version)); });
  }
  template <typename Call>
  std::optional<ReflectorEvent> Tell(Call&& call) {
    try {
      call();
    } catch (const std::exception& e) {
      TargetThrew(e.what());
    } catch (...) {
      TargetThrew("something that is no std::exception");
    }
    return std::nullopt;
  }
  void TargetThrew(std::string_view what) {
    TellError(Error{.code = ErrorCode::kInternal, .message = "the reflector's target threw: " + std::string(what)});
  }

  std::optional<ReflectorEvent> Act(SetTimer action) {
    timer_ = action.when;
    ArmTimer();
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(const ReportError& action) {
    // Published first, so that whoever is told finds it in the status.
    Publish();
    TellError(action.error);
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(const LogLine& action) {
    shared_->options.logger.Log(action.level, "reflector", action.message, {{"reflector", shared_->options.name}});
    return std::nullopt;
  }

  void TellError(const Error& error) {
    const Logger& logger = shared_->options.logger;
    logger.Warning("reflector", ToString(error), {{"reflector", shared_->options.name}});
    if (!shared_->on_error) return;
    try {
      shared_->on_error(error);
    } catch (const std::exception& e) {
      logger.Error("reflector", "the error handler threw", {{"what", e.what()}});
    } catch (...) {
      logger.Error("reflector", "the error handler threw something that is no std::exception");
    }
  }

  // A pool's timer cannot be taken back, so one that is armed already for an earlier time serves the later one too:
  // watches that come and go do not pile timers up.
  void ArmTimer() {
    if (armed_ && *armed_ <= *timer_) return;
    armed_ = timer_;
    tasks_->PostAt(*timer_,
                   [weak = weak_from_this(), when = *timer_] { Enter(weak, [when](Run& run) { run.OnTimer(when); }); });
  }

  void OnTimer(TimePoint armed_for) {
    if (armed_ == armed_for) armed_.reset();
    if (!timer_) return;
    if (clock_->Now() < *timer_) return ArmTimer();
    timer_.reset();
    // What has arrived already counts before a deadline does.
    Pump(generation_);
    if (!stopping_) Step(TimerFired{});
  }

  void PostPump() {
    Post([generation = generation_](Run& run) { run.Pump(generation); });
  }

  void Pump(std::uint64_t generation) {
    if (generation != generation_) return;  // of a stream that is gone
    for (int parts = 0; parts < kPartsPerTurn; ++parts) {
      bool more = false;
      if (auto* list = std::get_if<std::unique_ptr<ListStream>>(&stream_)) {
        more = TakeListPart(**list);
      } else if (auto* watch = std::get_if<std::unique_ptr<WatchEventStream>>(&stream_)) {
        more = TakeWatchPart(**watch);
      }
      if (!more || stopping_ || generation != generation_) return;
    }
    PostPump();
  }

  /// False: nothing more for now, or for ever.
  bool TakeListPart(ListStream& stream) {
    Result<std::optional<ListPart>> part = Guarded([&] { return stream.TryNext(); });
    if (!part) {
      DropStream();
      Step(ListFailed{std::move(part).error()});
      return false;
    }
    if (!*part) return Await(stream);
    if (auto* items = std::get_if<std::vector<ObjectPtr>>(&**part)) {
      Step(ListItems{shared_->intake.Items(std::move(*items))});
      return true;
    }
    DropStream();
    Step(ListPageEnded{std::get<ListEnd>(**std::move(part))});
    return false;
  }

  bool TakeWatchPart(WatchEventStream& stream) {
    Result<std::optional<WatchPart>> part = Guarded([&] { return stream.TryNext(); });
    if (!part) {
      DropStream();
      Step(WatchFailed{std::move(part).error()});
      return false;
    }
    if (!*part) return Await(stream);
    if (auto* events = std::get_if<std::vector<WatchEvent>>(&**part)) {
      if (events->empty()) {
        Step(WatchOpened{});
      } else {
        Step(WatchEvents{shared_->intake.Events(std::move(*events), state_.Seeding())});
      }
      return true;
    }
    DropStream();
    Step(WatchClosed{});
    return false;
  }

  void DropStream() {
    ++generation_;
    stream_ = std::monostate{};
  }

  template <typename AnyStream>
  bool Await(AnyStream& stream) {
    const Result<bool> asked = Guarded([&]() -> Result<bool> {
      stream.NotifyWhenReady([tasks = tasks_, weak = weak_from_this(), generation = generation_] {
        tasks->Post([weak, generation] { Enter(weak, [generation](Run& run) { run.Pump(generation); }); });
      });
      return true;
    });
    if (asked) return false;
    DropStream();
    if constexpr (std::is_same_v<AnyStream, ListStream>) {
      Step(ListFailed{asked.error()});
    } else {
      Step(WatchFailed{asked.error()});
    }
    return false;
  }

  const std::shared_ptr<Shared> shared_;
  const std::uint64_t number_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<SerialTasks> tasks_;
  std::atomic<bool> stopping_ = false;

  // The task's own.
  ReflectorState state_;
  Stream stream_;
  std::uint64_t generation_ = 0;  ///< Of the stream: tells late notifications from due ones.
  std::optional<TimePoint> timer_{};
  std::optional<TimePoint> armed_{};
};

Reflector::Reflector(TaskPool& pool, std::shared_ptr<ListerWatcher> source, ReflectorTarget& target,
                     ReflectorOptions options, std::function<void(const Error&)> on_error)
    : shared_(std::make_shared<Shared>(pool, std::move(source), target, std::move(options), std::move(on_error))) {}

Reflector::~Reflector() { Stop(); }

void Reflector::Start() {
  std::shared_ptr<Run> run;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->current != nullptr) return;
    run = std::make_shared<Run>(shared_, ++shared_->run, shared_->memory);
    shared_->current = run;
  }
  run->Begin();
}

void Reflector::Stop() {
  std::shared_ptr<Run> run;
  {
    const MutexLock lock(shared_->mutex);
    run.swap(shared_->current);
  }
  if (run != nullptr) run->End();
}

ReflectorStatus Reflector::Status() const {
  const MutexLock lock(shared_->mutex);
  return shared_->status;
}

}  // namespace kinformer::internal
