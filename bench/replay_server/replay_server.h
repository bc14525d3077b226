#ifndef KINFORMER_BENCH_REPLAY_SERVER_REPLAY_SERVER_H_
#define KINFORMER_BENCH_REPLAY_SERVER_REPLAY_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/replay_server/http_connection.h"
#include "bench/replay_server/pod_bytes.h"
#include "src/base/mutex.h"

namespace kinformer::bench {

struct ReplayServerOptions {
  /// In the order of their numbers; see StampedPods.
  std::unique_ptr<const PodBytes> json{};
  /// Null: clients that prefer protobuf get JSON.
  std::unique_ptr<const PodBytes> protobuf{};
  /// The namespace of each pod.
  std::vector<std::string> namespaces{};
  int port = 0;
  std::chrono::seconds bookmark_every{60};
};

/// Serves pods like an API server: lists, paged or not, and watches with or without initial events. Responses are
/// prepared in advance, to use as little CPU as possible beside the measured client. One thread per connection, on
/// 127.0.0.1.
class ReplayServer {
 public:
  /// Binds the port; throws std::system_error on failure. Serves nothing before Start.
  explicit ReplayServer(ReplayServerOptions options);
  /// Closes all connections and joins all threads.
  ~ReplayServer();
  ReplayServer(const ReplayServer&) = delete;
  ReplayServer& operator=(const ReplayServer&) = delete;

  void Start();
  int port() const { return port_; }

  /// Sends `count` updates on every open watch, at `per_second`, or as fast as the client reads if 0.
  void SendEvents(std::uint64_t count, double per_second);
  /// Ends every open watch with 410 Expired. In later lists, that fraction of the pods has a new version.
  void Expire(double changed_part);

 private:
  struct Connection;
  /// A command for open watches.
  struct Command {
    bool expire = false;
    std::uint64_t events = 0;
    double per_second = 0;
  };

  void AcceptLoop();
  void Serve(Connection& connection);
  bool Answer(Connection& connection, const HttpRequest& request);
  bool AnswerList(HttpConnection& http, const HttpRequest& request, const std::vector<std::size_t>& pods);
  bool AnswerWatch(Connection& connection, const HttpRequest& request, const std::vector<std::size_t>& pods);
  bool SendUpdates(HttpConnection& http, const PodBytes& bytes, const std::vector<std::size_t>& pods,
                   const Command& command);
  void Tell(const Command& command);
  /// Joins the threads of connections that have ended.
  void Reap();

  const PodBytes& Encoding(const HttpRequest& request) const;
  /// The pods under a path; nullopt if it is not a path of pods.
  std::optional<std::vector<std::size_t>> PodsAt(std::string_view path) const;

  const ReplayServerOptions options_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  /// The newest resource version.
  std::atomic<std::uint64_t> version_;
  /// The version of each pod in lists. Updates on a watch do not change it: every client starts with the same pods.
  std::vector<std::atomic<std::uint64_t>> pod_versions_;
  Mutex mutex_;
  std::list<std::unique_ptr<Connection>> connections_ KINFORMER_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_REPLAY_SERVER_REPLAY_SERVER_H_
