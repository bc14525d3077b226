#ifndef KINFORMER_BENCH_KINFORMER_LOAD_WATCHER_POOL_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_WATCHER_POOL_H_

// In:     a server, and the number of creations to expect
// Out:    returns once all watchers have seen all of them
// Thread: the caller's; one for all watchers
// Next:   the watch benchmark

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/event_log.h"
#include "bench/kinformer_load/http_link.h"
#include "bench/kinformer_load/poller.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

struct WatcherPoolOptions {
  /// The path of the resource in its namespace.
  std::string path{};
  /// The resourceVersion to watch from.
  std::string version{};
  std::size_t watchers = 0;
  std::size_t creations = 0;
  /// Idle timeout.
  std::chrono::seconds timeout{60};
};

/// Many watches, each on its own connection.
class WatcherPool {
 public:
  /// The target must outlive it.
  WatcherPool(const Target& target, WatcherPoolOptions options);

  /// Returns once the server has answered all watch requests.
  Result<void> Open();
  /// Returns once every watcher has seen every creation; kCancelled when stopped.
  Result<void> Run(const std::stop_token& stop);

  std::size_t deliveries() const { return deliveries_; }
  std::size_t bytes() const { return bytes_; }
  /// Watches that the server ended and that were resumed.
  std::size_t resumed() const { return resumed_; }

 private:
  struct Watcher {
    Watcher(const Target& target, Poller& poller, std::size_t number) : link(target, poller, number) {}
    HttpLink link;
    LineSplitter lines;
    std::size_t seen = 0;
    bool answered = false;
  };

  Result<void> Watch(Watcher& watcher);
  Result<void> OnReady(Watcher& watcher);
  Result<void> TakeBody(Watcher& watcher, std::string_view piece);

  const Target& target_;
  const WatcherPoolOptions options_;
  Poller poller_;
  EventLog log_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<char> buffer_;
  std::size_t answered_ = 0;
  std::size_t complete_ = 0;
  std::size_t deliveries_ = 0;
  std::size_t bytes_ = 0;
  std::size_t resumed_ = 0;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_WATCHER_POOL_H_
