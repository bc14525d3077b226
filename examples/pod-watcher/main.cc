// Watches the pods of a cluster: a complete program with an informer, an event handler, error reports and a clean stop.
// This file is the part that uses the SDK. command_line.cc has the flags, line_display.cc and live_display.cc what is
// shown.

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
#include "display.h"
#include "progress_bar.h"
#include "terminal.h"

namespace ki = kinformer;
using namespace std::chrono_literals;
using ki::core::v1::Pod;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr auto kProgressInterval = 200ms;

int Fail(const ki::Error& error) {
  std::cerr << "pod-watcher: " << ki::ToString(error) << "\n";
  return kFailed;
}

/// Requests a stop on SIGINT, SIGTERM and (unless nohup has it ignored) SIGHUP, from a thread that waits for them.
/// Create it before any other thread, so that all threads inherit the signal mask.
class StopOnSignals {
 public:
  StopOnSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals_, signal);
    struct sigaction on_hangup {};
    sigaction(SIGHUP, nullptr, &on_hangup);
    if (on_hangup.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);
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

/// An error that retrying alone will not fix.
bool IsHopeless(const ki::Error& error) {
  return error.code == ki::ErrorCode::kUnreachable || error.code == ki::ErrorCode::kTls ||
         error.code == ki::ErrorCode::kInvalidConfig || ki::IsUnauthorized(error) || ki::IsForbidden(error) ||
         ki::IsNotFound(error) || ki::IsBadRequest(error);
}

class Watcher {
 public:
  Watcher(const CommandLine& line, std::stop_source& stop)
      : line_(line),
        stop_(stop),
        draws_(CanDraw(STDOUT_FILENO) && line.output != Output::kName && line.output != Output::kJson) {}

  int Run() {
    const auto config = ki::Config::Load(line_.config);
    if (!config) return Fail(config.error());
    // OnError shows what goes wrong; log lines would tear the live table.
    const auto client = ki::Client::Create(*config, {.logger = ki::Logger::None()});
    if (!client) return Fail(client.error());
    ki::Selection selection = line_.selection;
    if (!line_.all_namespaces && selection.namespace_name.empty()) {
      selection.namespace_name = client->DefaultNamespace();
    }
    display_ = draws_ ? MakeLiveDisplay(line_.output, selection.namespace_name) : MakeLineDisplay(line_.output);

    ki::SharedInformerFactory factory(*client, {.logger = ki::Logger::None()});
    // The progress bar needs the number of remaining pods. The server gives it with pages of the newest state, not with
    // the cached state (resourceVersion "0") that an informer asks for by default, which comes in one piece.
    const bool with_bar = draws_ && selection.label_selector.empty() && selection.field_selector.empty();
    const auto newest = [](ki::ListRequest& request) {
      if (request.resource_version == "0") request.resource_version.clear();
    };
    const auto pods = factory.For<Pod>(
        selection, {.tweak = with_bar ? ki::NamedTweak{.name = "newest", .list = newest} : ki::NamedTweak{},
                    .streaming_lists = !with_bar,
                    .on_error = [this](const ki::Error& error) { OnError(error); }});
    ki::InformerRegistration registration;
    if (!line_.once) {
      auto registered = pods.AddEventHandler(Handler());
      if (!registered) return Fail(registered.error());
      registration = *std::move(registered);
    }

    const auto begun = std::chrono::steady_clock::now();
    factory.Start();
    if (const auto listed = AwaitSync(pods); !listed) return Fail(listed.error());
    if (stop_.stop_requested()) return 0;
    const auto synced = std::chrono::steady_clock::now();
    if (line_.once) {
      PrintAll(line_.output, pods.Lister().List());
      return 0;
    }
    if (auto shown = registration.WaitForSync(line_.timeout, stop_.get_token()); !shown && !stop_.stop_requested()) {
      return Fail(shown.error());
    }
    display_->OnSynced(pods.Lister().Size(), pods.LastSyncResourceVersion());
    display_->Run([&] { return pods.Status(); }, stop_.get_token());
    if (line_.summary) {
      std::cerr << "summary: " << pods.Lister().Size() << " pods, " << events_ << " events, synced in "
                << std::chrono::duration_cast<std::chrono::milliseconds>(synced - begun).count() << " ms, "
                << PeakMemoryInMegabytes() << " MB of memory at most\n";
    }
    return 0;
  }

 private:
  /// The handler runs on a thread of its own: a slow one delays no other handler and not the cache.
  ki::EventHandlerFor<Pod> Handler() {
    return {.on_add = [this](const Pod& pod, bool initial) { Show(Event::kAdded, pod, {.initial = initial}); },
            .on_update =
                [this](const Pod& before, const Pod& after) {
                  if (before.ResourceVersion() != after.ResourceVersion()) Show(Event::kModified, after, {});
                },
            .on_delete =
                [this](const ki::Deleted<Pod>& gone) {
                  Show(Event::kDeleted, gone.last_known, {.final_state_unknown = gone.final_state_unknown});
                }};
  }

  void Show(Event event, const Pod& pod, const EventDetails& details) {
    display_->OnEvent(event, pod, details);
    ++events_;
  }

  /// On a thread of the SDK's pool.
  void OnError(const ki::Error& error) {
    {
      const std::lock_guard lock(mutex_);
      if (!synced_) {
        // Ends the wait for the first list.
        if (!first_error_ && IsHopeless(error)) {
          first_error_ = error;
          gave_up_.request_stop();
        }
        return;
      }
    }
    display_->OnError(error);
  }

  /// Until the first list is complete, or the program is stopped. An error: it will not come, or took too long.
  ki::Result<void> AwaitSync(const ki::SharedIndexInformer<Pod>& pods) {
    const auto begun = std::chrono::steady_clock::now();
    const std::stop_callback on_stop(stop_.get_token(), [this] { gave_up_.request_stop(); });
    ProgressBar bar(draws_);
    for (;;) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
      const bool last = elapsed + kProgressInterval >= line_.timeout;
      auto synced = pods.WaitForCacheSync(kProgressInterval, gave_up_.get_token());
      {
        const std::lock_guard lock(mutex_);
        synced_ = synced.ok();
        if (synced || stop_.stop_requested()) return {};
        if (first_error_) return *first_error_;
        if (last) return synced;
      }
      const ki::InformerStatus status = pods.Status();
      bar.Show({status.listed, status.listed_bytes, status.remaining, elapsed.count()});
    }
  }

  const CommandLine& line_;
  std::stop_source& stop_;
  const bool draws_;  ///< A progress bar and the live table; else lines.
  std::unique_ptr<Display> display_;
  std::atomic<std::uint64_t> events_ = 0;
  std::stop_source gave_up_;
  std::mutex mutex_;
  bool synced_ = false;                   // guarded by mutex_
  std::optional<ki::Error> first_error_;  // guarded by mutex_
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
