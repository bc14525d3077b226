// Watches the pods of a cluster: what to run first. See command_line.cc for its flags.

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <kinformer/kinformer.h>

#include "command_line.h"
#include "screen.h"

namespace ki = kinformer;
using namespace std::chrono_literals;
using ki::core::v1::Pod;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr auto kRedraw = 200ms;

int Fail(const ki::Error& error) {
  std::cerr << "pod-watcher: " << ki::ToString(error) << "\n";
  return kFailed;
}

/// SIGINT and SIGTERM as a stop, taken by a thread that waits for them. Made before any other thread, which then leave
/// these signals to it.
class StopOnSignals {
 public:
  StopOnSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::thread([this] {
      int signal = 0;
      sigwait(&signals_, &signal);
      stop_.request_stop();
    });
  }
  ~StopOnSignals() {
    pthread_kill(waiter_.native_handle(), SIGUSR1);
    waiter_.join();
  }
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_source& source() { return stop_; }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  std::thread waiter_;
};

long PeakMemoryInMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// An error that waiting will not mend before somebody does something.
bool IsHopeless(const ki::Error& error) {
  return error.code == ki::ErrorCode::kUnreachable || error.code == ki::ErrorCode::kTls ||
         error.code == ki::ErrorCode::kInvalidConfig || ki::IsUnauthorized(error) || ki::IsForbidden(error) ||
         ki::IsNotFound(error) || ki::IsBadRequest(error);
}

class Watcher {
 public:
  Watcher(const CommandLine& line, std::stop_source& stop)
      : line_(line), stop_(stop), terminal_(isatty(STDOUT_FILENO) != 0), screen_(MakeScreen(line.output, terminal_)) {}

  int Run() {
    const auto config = ki::Config::Load(line_.config);
    if (!config) return Fail(config.error());
    const auto client = ki::Client::Create(*config);
    if (!client) return Fail(client.error());

    ki::SharedInformerFactory factory(*client);
    const std::string all;
    // The newest state in pages says how much is to come, which the bar on a terminal shows. (The state at hand, which
    // an informer asks for otherwise, comes in one piece.)
    const bool with_bar = terminal_ && line_.label_selector.empty() && line_.field_selector.empty();
    const auto newest = [](ki::ListRequest& request) {
      if (request.resource_version == "0") request.resource_version.clear();
    };
    const auto pods =
        factory.For<Pod>({.namespace_name = line_.all_namespaces           ? all
                                            : line_.namespace_name.empty() ? client->DefaultNamespace()
                                                                           : line_.namespace_name,
                          .label_selector = line_.label_selector,
                          .field_selector = line_.field_selector,
                          .tweak = with_bar ? ki::NamedTweak{.name = "newest", .list = newest} : ki::NamedTweak{},
                          .streaming_lists = !with_bar,
                          .on_error = [this](const ki::Error& error) { OnError(error); }});
    ki::InformerRegistration registration;
    if (!line_.once) registration = pods->AddEventHandler(Handler());

    const auto begun = std::chrono::steady_clock::now();
    factory.Start();
    if (const int code = AwaitSync(*pods); code != 0 || stop_.stop_requested()) return code;
    const auto synced = std::chrono::steady_clock::now();
    if (line_.once) {
      PrintAll(line_.output, pods->Lister().List());
      return 0;
    }
    if (auto shown = registration.WaitForSync(line_.timeout, stop_.get_token()); !shown && !stop_.stop_requested()) {
      return Fail(shown.error());
    }
    {
      const std::lock_guard lock(mutex_);
      screen_->OnSynced(pods->Lister().Size(), pods->LastSyncResourceVersion());
    }
    while (!stop_.stop_requested()) {
      if (changed_.exchange(false) || !terminal_) Draw(*pods);
      (void)ki::Clock::System()->SleepFor(kRedraw, stop_.get_token());
    }
    if (line_.summary) {
      const std::lock_guard lock(mutex_);
      screen_.reset();  // ends its last line
      std::cerr << "summary: " << pods->Lister().Size() << " pods, " << events_ << " events, synced in "
                << std::chrono::duration_cast<std::chrono::milliseconds>(synced - begun).count() << " ms, "
                << PeakMemoryInMegabytes() << " MB of memory at the most\n";
    }
    return 0;
  }

 private:
  ki::EventHandlerFor<Pod> Handler() {
    return {
        .on_add = [this](const Pod& pod, bool) { Show(Event::kAdded, pod); },
        .on_update =
            [this](const Pod& before, const Pod& after) {
              if (before.ResourceVersion() != after.ResourceVersion()) Show(Event::kModified, after);
            },
        .on_delete =
            [this](const ki::Deleted<Pod>& gone) { Show(Event::kDeleted, gone.last_known, gone.final_state_unknown); }};
  }

  void Show(Event event, const Pod& pod, bool final_state_unknown = false) {
    const std::lock_guard lock(mutex_);
    if (!screen_) return;
    screen_->OnEvent(event, pod, final_state_unknown);
    ++events_;
    changed_ = true;
  }

  void OnError(const ki::Error& error) {
    const std::lock_guard lock(mutex_);
    if (!synced_) {
      // The first hopeless one ends the wait for the first list.
      if (!first_error_ && IsHopeless(error)) {
        first_error_ = error;
        gave_up_.request_stop();
      }
      return;
    }
    if (screen_) screen_->OnError(error);
    changed_ = true;
  }

  int AwaitSync(const ki::SharedIndexInformer<Pod>& pods) {
    const auto begun = std::chrono::steady_clock::now();
    const std::stop_callback on_stop(stop_.get_token(), [this] { gave_up_.request_stop(); });
    for (;;) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
      const bool last = elapsed + kRedraw >= line_.timeout;
      const auto synced = pods.WaitForCacheSync(kRedraw, gave_up_.get_token());
      const std::lock_guard lock(mutex_);
      if (synced) {
        synced_ = true;
        return 0;
      }
      if (stop_.stop_requested()) return 0;
      if (first_error_) return Fail(*first_error_);
      if (last) return Fail(synced.error());
      if (terminal_) {
        const ki::InformerStatus status = pods.Status();
        screen_->OnProgress({status.listed, status.listed_bytes, status.remaining, elapsed.count()});
      }
    }
  }

  void Draw(const ki::SharedIndexInformer<Pod>& pods) {
    const auto list = pods.Lister().List();
    const std::lock_guard lock(mutex_);
    screen_->Draw(list);
  }

  const CommandLine& line_;
  std::stop_source& stop_;
  const bool terminal_;
  std::stop_source gave_up_;
  std::mutex mutex_;  // the screen and what is below: the handler's thread, the pool's and ours
  std::unique_ptr<Screen> screen_;
  std::atomic<bool> changed_ = true;
  std::atomic<std::uint64_t> events_ = 0;
  bool synced_ = false;
  std::optional<ki::Error> first_error_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto line = ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!line) {
    std::cerr << "pod-watcher: " << line.error().message << "\n" << kUsage << "try: pod-watcher --help\n";
    return kWrongUsage;
  }
  if (line->help) {
    std::cout << kUsage << kHelp;
    return 0;
  }
  StopOnSignals signals;
  return Watcher(*line, signals.source()).Run();
}
