#include "src/reflector/reflector.h"

#include <atomic>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/user_code.h"
#include "src/reflector/intake.h"
#include "src/reflector/reflector_state.h"

namespace kinformer::internal {
namespace {

/// Stream parts consumed per task turn, so that other reflectors on the pool get their share.
constexpr int kPartsPerTurn = 64;

/// Calls the ListerWatcher or a stream of it; turns exceptions into errors.
template <typename Call>
auto CallSource(Call&& call) {
  return ContainResult(std::forward<Call>(call), [](const std::string& what) {
    return Error{.code = ErrorCode::kInternal, .message = "the ListerWatcher threw: " + what};
  });
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

/// State shared by all runs of a reflector.
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
                .logger = options.logger}),
        tasks(std::make_shared<SerialTasks>(p)) {}

  std::vector<std::shared_ptr<Run>> Ending() {
    const MutexLock lock(mutex);
    return ending;
  }

  TaskPool& pool;
  const std::shared_ptr<ListerWatcher> source;
  ReflectorTarget& target;
  const ReflectorOptions options;
  const std::function<void(const Error&)> on_error;
  const Intake intake;
  /// One queue for all runs, so that calls of two runs never overlap. Also referenced by stream notifications.
  const std::shared_ptr<SerialTasks> tasks;

  Mutex mutex;
  std::shared_ptr<Run> current KINFORMER_GUARDED_BY(mutex);  ///< Null while stopped.
  /// Runs marked as stopping but not yet cleared: one of their calls may still be running.
  std::vector<std::shared_ptr<Run>> ending KINFORMER_GUARDED_BY(mutex);
  std::uint64_t run KINFORMER_GUARDED_BY(mutex) = 0;  ///< The number of the latest run.
  ReflectorStatus status KINFORMER_GUARDED_BY(mutex);
  ReflectorMemory memory KINFORMER_GUARDED_BY(mutex);
};

/// From a Start to its Stop. Everything except MarkStopping, PostClear and Clear runs on the reflector's tasks.
class Reflector::Run : public std::enable_shared_from_this<Run> {
 public:
  Run(std::shared_ptr<Shared> shared, std::uint64_t number)
      : shared_(std::move(shared)), number_(number), clock_(shared_->pool.clock()), tasks_(shared_->tasks) {}

  void Begin() {
    Post([](Run& run) {
      run.TakeOver();
      const Result<bool> supports = CallSource([&] { return run.Source().SupportsStreamingLists(); });
      run.Step(Started{.supports_streaming = supports.ok() && *supports});
    });
  }

  /// A running task checks this before each call. The caller may be inside that very task.
  void MarkStopping() { stopping_ = true; }
  /// Cancels the stream even if no caller awaits the end.
  void PostClear() {
    tasks_->Post([run = shared_from_this()] { run->Clear(); });
  }

  /// Precondition: stopping, and no task of this run is in a call. Cancels the stream and publishes the final state.
  void Clear() {
    Stream stream;  // Destroyed after the lock is released: a user's stream may run arbitrary code.
    {
      const MutexLock lock(clear_mutex_);
      if (std::exchange(cleared_, true)) return;
      ++generation_;
      stream = std::exchange(stream_, std::monostate{});
      if (state_) {
        state_->Step(Stopped{}, clock_->Now());
        Publish();
      } else {
        PublishNeverBegan();
      }
    }
    const std::shared_ptr<Run> self = shared_from_this();
    const MutexLock lock(shared_->mutex);
    std::erase(shared_->ending, self);
  }

 private:
  using Stream = std::variant<std::monostate, std::unique_ptr<ListStream>, std::unique_ptr<WatchEventStream>>;

  ListerWatcher& Source() { return *shared_->source; }

  // Tasks and notifications hold the run weakly: the last reference must not be dropped on an I/O thread, because
  // destroying the streams may have to wait for that thread.
  void Post(std::function<void(Run&)> task) {
    tasks_->Post([weak = weak_from_this(), task = std::move(task)] { Enter(weak, task); });
  }

  static void Enter(const std::weak_ptr<Run>& weak, const std::function<void(Run&)>& task) {
    // Released last: it may be the last reference to the owner, and thereby to the reflector and its target.
    std::shared_ptr<const void> owner;
    const std::shared_ptr<Run> run = weak.lock();
    if (run == nullptr || run->stopping_) return;
    if (const auto& weak_owner = run->shared_->options.owner) {
      owner = weak_owner->lock();
      if (owner == nullptr) return;
    }
    task(*run);
    if (run->stopping_) run->Clear();
  }

  /// Finishes the previous runs and continues from their last state.
  void TakeOver() {
    for (const auto& run : shared_->Ending()) run->Clear();
    const MutexLock lock(shared_->mutex);
    state_.emplace(RulesOf(shared_->options), shared_->memory);
  }

  void Publish() {
    const MutexLock lock(shared_->mutex);
    if (shared_->run == number_) state_->Update(shared_->status);
    shared_->memory = state_->memory();
  }

  /// Of a run that was stopped before its first task: the status may still be that of the run before, which does not
  /// publish its end once a newer run exists.
  void PublishNeverBegan() {
    const MutexLock lock(shared_->mutex);
    if (shared_->run != number_) return;
    ReflectorStatus& status = shared_->status;
    status.phase = ReflectorPhase::kStopped;
    status.listed_objects = 0;
    status.listed_bytes = 0;
    status.remaining_objects.reset();
  }

  void Step(ReflectorEvent event) {
    std::deque<ReflectorEvent> events;
    events.push_back(std::move(event));
    while (!events.empty()) {
      std::vector<ReflectorAction> actions = state_->Step(std::move(events.front()), clock_->Now());
      events.pop_front();
      const Batch batch(*this, actions.size() > 1);
      for (ReflectorAction& action : actions) {
        if (stopping_) return;
        if (std::optional<ReflectorEvent> outcome = Do(std::move(action))) events.push_back(*std::move(outcome));
      }
    }
    Publish();
  }

  /// Groups the target calls of one step into a batch.
  class Batch {
   public:
    Batch(Run& run, bool worth_it) : run_(worth_it ? &run : nullptr) {
      if (run_ != nullptr) run_->CallTarget([this] { run_->shared_->target.BeginBatch(); });
    }
    ~Batch() {
      if (run_ != nullptr) run_->CallTarget([this] { run_->shared_->target.EndBatch(); });
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    Run* const run_;
  };

  /// Returns a follow-up event if the action completed or failed at once.
  std::optional<ReflectorEvent> Do(ReflectorAction action) {
    return std::visit([this](auto&& a) { return Act(std::forward<decltype(a)>(a)); }, std::move(action));
  }

  std::optional<ReflectorEvent> Act(StartList action) {
    return Began<ListFailed>(CallSource([&] { return Source().List(action.request); }));
  }
  std::optional<ReflectorEvent> Act(StartWatch action) {
    return Began<WatchFailed>(CallSource([&] { return Source().Watch(action.request); }));
  }
  template <typename Failed, typename StreamPtr>
  std::optional<ReflectorEvent> Began(Result<StreamPtr> stream) {
    DropStream();
    if (!stream) return Failed{std::move(stream).error()};
    if (*stream == nullptr)
      return Failed{{.code = ErrorCode::kInternal, .message = "the ListerWatcher returned a null stream"}};
    stream_ = *std::move(stream);
    PostPump();
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(CancelStream) {
    DropStream();
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(Delta delta) {
    // Published first, so that a caller waiting for the first list does not see it still in progress.
    if (delta.kind == Delta::Kind::kReplaceAll) Publish();
    return CallTarget([&] { shared_->target.Put(std::move(delta)); });
  }
  template <typename Call>
  std::optional<ReflectorEvent> CallTarget(Call&& call) {
    if (const auto threw = Contain(std::forward<Call>(call))) {
      ReportToHandler(Error{.code = ErrorCode::kInternal, .message = "the reflector's target threw: " + *threw},
                      LogLevel::kError);
    }
    return std::nullopt;
  }

  std::optional<ReflectorEvent> Act(SetTimer action) {
    timer_ = action.when;
    ArmTimer();
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(const ReportError& action) {
    // Published first, so that the error is already in the status when on_error is called.
    Publish();
    ReportToHandler(action.error, action.repeated ? LogLevel::kDebug : LogLevel::kWarning);
    return std::nullopt;
  }
  std::optional<ReflectorEvent> Act(const LogLine& action) {
    shared_->options.logger.Log(action.level, "reflector", action.message, {{"reflector", shared_->options.name}});
    return std::nullopt;
  }

  void ReportToHandler(const Error& error, LogLevel level) {
    const Logger& logger = shared_->options.logger;
    logger.Log(level, "reflector", ToString(error), {{"reflector", shared_->options.name}});
    if (!shared_->on_error) return;
    if (const auto threw = Contain([&] { shared_->on_error(error); })) {
      logger.Error("reflector", "the error handler threw", {{"what", *threw}});
    }
  }

  // Pool timers cannot be cancelled. A timer already armed for an earlier time also serves the later one, so that
  // short-lived watches do not accumulate timers.
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
    if (paused_since_) return;  // Resume sets it again.
    timer_.reset();
    // Data that has already arrived takes precedence over a deadline.
    Pump(generation_);
    if (!stopping_ && !paused_since_) Step(TimerFired{});
  }

  void PostPump() {
    Post([generation = generation_](Run& run) { run.Pump(generation); });
  }

  void Pump(std::uint64_t generation) {
    if (generation != generation_ || paused_since_) return;  // from a previous stream, or Resume comes
    for (int parts = 0; parts < kPartsPerTurn; ++parts) {
      if (shared_->target.IsFull() && !std::holds_alternative<std::monostate>(stream_)) return Pause();
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

  /// False: nothing more for now, or the stream has ended.
  bool TakeListPart(ListStream& stream) {
    Result<std::optional<ListPart>> part = CallSource([&] { return stream.TryNext(); });
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
    Step(ListPageEnded{std::get<ListMeta>(**std::move(part))});
    return false;
  }

  bool TakeWatchPart(WatchEventStream& stream) {
    Result<std::optional<WatchPart>> part = CallSource([&] { return stream.TryNext(); });
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
        Step(WatchEvents{shared_->intake.Events(std::move(*events), state_->Seeding())});
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
    paused_since_.reset();
  }

  /// Takes nothing from the stream until the target is no longer full. What arrives meanwhile waits in the stream, and
  /// then in the server. Timers of the stream are suspended.
  void Pause() {
    paused_since_ = clock_->Now();
    shared_->target.NotifyWhenNotFull([tasks = tasks_, weak = weak_from_this(), generation = generation_] {
      tasks->Post([weak, generation] { Enter(weak, [generation](Run& run) { run.Resume(generation); }); });
    });
  }
  void Resume(std::uint64_t generation) {
    if (generation != generation_ || !paused_since_) return;
    const Duration paused = clock_->Now() - *std::exchange(paused_since_, std::nullopt);
    Step(Resumed{paused});
    Pump(generation);
  }

  template <typename AnyStream>
  bool Await(AnyStream& stream) {
    const Result<void> asked = CallSource([&] {
      stream.NotifyWhenReady([tasks = tasks_, weak = weak_from_this(), generation = generation_] {
        tasks->Post([weak, generation] { Enter(weak, [generation](Run& run) { run.Pump(generation); }); });
      });
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
  Mutex clear_mutex_;
  bool cleared_ KINFORMER_GUARDED_BY(clear_mutex_) = false;

  // Used by the running task; after it has ended, by Clear.
  std::optional<ReflectorState> state_;  ///< Set by the first task.
  Stream stream_;
  std::uint64_t generation_ = 0;  ///< Of the stream; identifies stale notifications.
  /// Set while the target is full and nothing is taken from the stream.
  std::optional<TimePoint> paused_since_{};
  std::optional<TimePoint> timer_{};
  std::optional<TimePoint> armed_{};
};

Reflector::Reflector(TaskPool& pool, std::shared_ptr<ListerWatcher> source, ReflectorTarget& target,
                     ReflectorOptions options, std::function<void(const Error&)> on_error)
    : shared_(std::make_shared<Shared>(pool, std::move(source), target, std::move(options), std::move(on_error))) {}

Reflector::~Reflector() {
  RequestStop();
  (void)AwaitStopped();
  // If called at the end of one of its own tasks, AwaitStopped did not wait.
  for (const auto& run : shared_->Ending()) run->Clear();
  shared_->tasks->RequestClose();
}

void Reflector::Start() {
  std::shared_ptr<Run> run;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->current != nullptr) return;
    run = std::make_shared<Run>(shared_, ++shared_->run);
    shared_->current = run;
  }
  run->Begin();
}

void Reflector::RequestStop() {
  std::shared_ptr<Run> run;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->current == nullptr) return;
    run.swap(shared_->current);
    run->MarkStopping();
    shared_->ending.push_back(run);
  }
  run->PostClear();
}

bool Reflector::AwaitStopped(std::optional<TimePoint> deadline) {
  // Taken before the wait: the wait does not cover tasks of a run stopped during it.
  const auto ending = shared_->Ending();
  if (!shared_->tasks->AwaitRunning(deadline)) return false;
  for (const auto& run : ending) run->Clear();
  // A task that started in the meantime may be cancelling the stream.
  return shared_->tasks->AwaitRunning(deadline);
}

void Reflector::Stop() {
  RequestStop();
  (void)AwaitStopped();
}

bool Reflector::Busy() const { return shared_->tasks->Running(); }

ReflectorStatus Reflector::Status() const {
  const MutexLock lock(shared_->mutex);
  return shared_->status;
}

}  // namespace kinformer::internal
