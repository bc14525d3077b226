#ifndef KINFORMER_TEST_LISTWATCH_CACHER_WATCH_READER_H_
#define KINFORMER_TEST_LISTWATCH_CACHER_WATCH_READER_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/reflector/lister_watcher.h>

#include "test/support/await.h"

namespace kinformer::apiserver {

using kinformer::testing_support::Await;

/// An event as text: "ADDED default/a 1001", "BOOKMARK 1002", "ERROR 410 too old ...".
inline std::string Line(const WatchEvent& event) {
  std::string line(ToString(event.type));
  if (event.type == WatchEventType::kError) {
    return line + " " + std::to_string(event.error.http_status) + " " + event.error.message;
  }
  if (event.type != WatchEventType::kBookmark) line += " " + ToString(event.object->Key());
  line += " " + std::string(event.object->ResourceVersion());
  if (event.object->Annotations().Contains("k8s.io/initial-events-end")) line += " initial-events-end";
  return line;
}

/// Reads a watch as the server does, on the test's thread.
class WatchReader {
 public:
  explicit WatchReader(std::unique_ptr<WatchEventStream> stream) : stream_(std::move(stream)) {}

  /// Waits for `count` events. On the end of the watch the last line is "END", on a timeout of ten seconds "NOTHING".
  std::vector<std::string> Take(std::size_t count) {
    std::vector<std::string> lines;
    while (lines.size() < count) {
      if (!Fill(true)) {
        lines.emplace_back(ended_ ? "END" : "NOTHING");
        break;
      }
      lines.push_back(Line(events_.front()));
      events_.pop_front();
    }
    return lines;
  }
  /// The events available now.
  std::vector<std::string> TakeAll() {
    std::vector<std::string> lines;
    while (Fill(false)) {
      lines.push_back(Line(events_.front()));
      events_.pop_front();
    }
    if (ended_) lines.emplace_back("END");
    return lines;
  }
  /// Waits for an event. Null at the end or on timeout.
  std::unique_ptr<WatchEvent> Next() {
    if (!Fill(true)) return nullptr;
    auto event = std::make_unique<WatchEvent>(std::move(events_.front()));
    events_.pop_front();
    return event;
  }
  bool ended() const { return ended_; }

 private:
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool set = false;
  };

  bool Fill(bool wait) {
    while (events_.empty() && !ended_) {
      auto part = stream_->TryNext();
      if (!part) return false;
      if (!*part) {
        if (!wait || !AwaitReady()) return false;
        continue;
      }
      if (auto* events = std::get_if<std::vector<WatchEvent>>(&**part)) {
        for (WatchEvent& event : *events) events_.push_back(std::move(event));
      } else {
        ended_ = true;
      }
    }
    return !events_.empty();
  }
  bool AwaitReady() {
    const auto signal = std::make_shared<Signal>();
    stream_->NotifyWhenReady([signal] {
      const std::lock_guard lock(signal->mutex);
      signal->set = true;
      signal->changed.notify_all();
    });
    std::unique_lock lock(signal->mutex);
    return signal->changed.wait_for(lock, kinformer::testing_support::kPatience, [&] { return signal->set; });
  }

  std::unique_ptr<WatchEventStream> stream_;
  std::deque<WatchEvent> events_;
  bool ended_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_LISTWATCH_CACHER_WATCH_READER_H_
