#include "bench/kinformer_load/ask.h"

#include <utility>
#include <vector>

namespace kinformer::bench {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr std::size_t kMaxErrorBytes = 1000;
constexpr std::chrono::milliseconds kLook{100};

}  // namespace

Result<void> ReadAnswer(HttpLink& link, Poller& poller, std::string_view request, std::chrono::seconds timeout,
                        const ResponseReader::Sink& body) {
  static thread_local std::vector<char> buffer(kBufferBytes);
  std::string failure;
  if (auto sent = link.Send(request); !sent) return sent;
  auto heard = std::chrono::steady_clock::now();
  while (!link.answer().Done()) {
    const bool ready = !poller.Wait(kLook).empty();
    const auto now = std::chrono::steady_clock::now();
    if (ready) heard = now;
    if (now - heard > timeout) return Error{.code = ErrorCode::kDeadlineExceeded, .message = "no answer comes"};
    if (!ready) continue;
    auto taken = link.OnReady(buffer, [&](std::string_view piece) {
      if (link.answer().status() / 100 == 2) return body(piece);
      failure.append(piece.substr(0, kMaxErrorBytes - failure.size()));
    });
    if (!taken) return taken;
  }
  const int status = link.answer().status();
  if (status / 100 != 2) return Error{.code = ErrorCode::kServer, .message = failure, .http_status = status};
  return {};
}

Result<std::string> Ask(const Target& target, std::string_view request, std::chrono::seconds timeout) {
  Poller poller;
  HttpLink link(target, poller, 0);
  std::string body;
  auto read = ReadAnswer(link, poller, request, timeout, [&body](std::string_view piece) { body.append(piece); });
  if (!read) return std::move(read).error();
  return body;
}

}  // namespace kinformer::bench
