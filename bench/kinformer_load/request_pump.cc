#include "bench/kinformer_load/request_pump.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/kinformer_load/http_link.h"
#include "bench/kinformer_load/poller.h"

namespace kinformer::bench {
namespace {

constexpr std::size_t kBufferBytes = 64U << 10U;
constexpr std::size_t kKeptBytes = 1000;
constexpr std::chrono::milliseconds kLook{100};

struct Writer {
  Writer(const Target& target, Poller& poller, std::size_t number) : link(target, poller, number) {}
  HttpLink link;
  /// Beginning of the response, for an error message.
  std::string kept;
};

}  // namespace

Result<void> PumpRequests(const Target& target, const RequestPumpOptions& options,
                          const std::function<std::string(std::size_t number)>& request, const std::stop_token& stop) {
  Poller poller;
  std::vector<char> buffer(kBufferBytes);
  std::vector<std::unique_ptr<Writer>> writers;
  std::size_t next = 0;
  std::size_t answered = 0;
  while (next < std::min(options.connections, options.requests)) {
    writers.push_back(std::make_unique<Writer>(target, poller, next));
    if (auto sent = writers.back()->link.Send(request(next++)); !sent) return sent;
  }
  auto heard = std::chrono::steady_clock::now();
  while (answered < options.requests) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped"};
    const auto ready = poller.Wait(kLook);
    const auto now = std::chrono::steady_clock::now();
    if (!ready.empty()) heard = now;
    if (now - heard > options.timeout) {
      return Error{.code = ErrorCode::kDeadlineExceeded,
                   .message = "the server answers no more; " + std::to_string(answered) + " requests were answered"};
    }
    for (const epoll_event& event : ready) {
      Writer& writer = *writers[event.data.u64];
      auto done = writer.link.OnReady(buffer, [&writer](std::string_view piece) {
        if (writer.kept.size() < kKeptBytes) writer.kept.append(piece.substr(0, kKeptBytes - writer.kept.size()));
      });
      if (!done) return done;
      const ResponseReader& answer = writer.link.answer();
      if (!answer.Done()) continue;
      if (answer.status() / 100 != 2) {
        return Error{.code = ErrorCode::kServer, .message = writer.kept, .http_status = answer.status()};
      }
      ++answered;
      writer.kept.clear();
      if (next == options.requests) continue;
      if (auto sent = writer.link.Send(request(next++)); !sent) return sent;
    }
  }
  return {};
}

}  // namespace kinformer::bench
