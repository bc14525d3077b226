// The live table: what the informer reports goes into a LiveView, and that onto the Terminal.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "display.h"
#include "live_view.h"
#include "pod_row.h"
#include "pod_table.h"
#include "terminal.h"

namespace ki = kinformer;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

/// Events are shown at most this often; keys and a new size at once.
constexpr auto kBetweenFrames = 200ms;
/// Without events, for the column AGE.
constexpr auto kTick = 1s;

bool WantsColours() {
  const char* const no_color = std::getenv("NO_COLOR");  // https://no-color.org
  return no_color == nullptr || *no_color == '\0';
}

class LiveDisplay final : public Display {
 public:
  LiveDisplay(Output output, const std::string& namespace_name)
      : view_({.namespace_name = namespace_name,
               .wide = output == Output::kWide,
               .colours = WantsColours(),
               .keys = CanReadKeys()}) {}

  void OnEvent(Event event, const ki::core::v1::Pod& pod, const EventDetails& details) override {
    PodRow row = RowOf(pod);
    if (!details.initial) row.changed = std::chrono::system_clock::now();
    std::string key = KeyOf(row);
    const std::lock_guard lock(mutex_);
    ++news_.events;
    news_.changes[std::move(key)] = event == Event::kDeleted ? std::nullopt : std::optional(std::move(row));
    WakeOncePerFrame();
  }

  void OnSynced(std::size_t, const std::string&) override {}

  void OnError(const ki::Error& error) override {
    const std::lock_guard lock(mutex_);
    news_.error = error;
    news_.error_time = steady_clock::now();
    WakeOncePerFrame();
  }

  void Run(const std::function<ki::InformerStatus()>& status, const std::stop_token& stop) override {
    Terminal terminal(waker_);
    const std::stop_callback on_stop(stop, [this] { waker_.Wake(); });
    steady_clock::time_point last_frame{};
    bool key_pressed = false;
    while (!stop.stop_requested()) {
      const auto next_frame = last_frame + (HasNews() ? kBetweenFrames : kTick);
      if (key_pressed || terminal.NeedsFrame() || steady_clock::now() >= next_frame) {
        last_frame = steady_clock::now();
        Update(status());
        const TerminalSize size = terminal.Size();
        if (!terminal.Show(view_.Render(size.width, size.height, std::chrono::system_clock::now()), size)) return;
        key_pressed = false;
        continue;
      }
      const auto rest = next_frame - steady_clock::now();
      for (const Key& key : terminal.Wait(std::chrono::ceil<std::chrono::milliseconds>(rest))) {
        if (!view_.Handle(key)) return;
        key_pressed = true;
      }
    }
  }

 private:
  /// What the callbacks left for the next frame. Changes of one pod are folded into one.
  struct News {
    bool fresh = false;
    Changes changes{};
    std::uint64_t events = 0;
    std::optional<ki::Error> error{};
    steady_clock::time_point error_time{};
  };

  /// Precondition: mutex_ is held.
  void WakeOncePerFrame() {
    if (!std::exchange(news_.fresh, true)) waker_.Wake();
  }

  bool HasNews() {
    const std::lock_guard lock(mutex_);
    return news_.fresh;
  }

  void Update(const ki::InformerStatus& status) {
    Changes changes;
    std::string problem;
    {
      const std::lock_guard lock(mutex_);
      news_.fresh = false;
      std::swap(changes, news_.changes);
      view_.SetEvents(news_.events);
      // The watch is back once the server has said something after the error.
      if (status.state == ki::InformerState::kWatching && status.last_activity &&
          *status.last_activity > news_.error_time) {
        news_.error.reset();
      }
      if (news_.error) problem = ki::ToString(*news_.error) + "; trying again";
    }
    view_.SetProblem(problem);
    if (!changes.empty()) view_.Apply(std::move(changes));
  }

  Waker waker_;
  LiveView view_;  // used by Run alone
  std::mutex mutex_;
  News news_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Display> MakeLiveDisplay(Output output, const std::string& namespace_name) {
  return std::make_unique<LiveDisplay>(output, namespace_name);
}
