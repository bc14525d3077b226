// HTTP requests and WebSocket frames parse the same regardless of chunking, and a refusal has the same status. No
// accepted request has a line break or a NUL byte in its head.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/http/request_reader.h"
#include "src/http/websocket.h"

namespace {

using kinformer::apiserver::HttpHeader;
using kinformer::apiserver::HttpRequest;
using kinformer::apiserver::RequestLimits;
using kinformer::apiserver::RequestProgress;
using kinformer::apiserver::RequestReader;
using kinformer::apiserver::WebSocketOpcode;
using kinformer::apiserver::WebSocketReader;

constexpr RequestLimits kLimits{
    .max_body_bytes = std::size_t{1} << 16U, .max_header_bytes = std::size_t{1} << 16U, .max_target_bytes = 8192};

// Aborts, which the fuzzer reports as a crash.
void Require(bool condition) {
  if (!condition) std::abort();
}

bool IsOneLine(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos; }

void RequireSound(const HttpRequest& request) {
  Require(!request.method.empty() && !request.target.empty() && !request.path.empty());
  Require(IsOneLine(request.method) && IsOneLine(request.target));
  for (const HttpHeader& header : request.headers) {
    Require(!header.name.empty() && IsOneLine(header.name) && IsOneLine(header.value));
    Require(header.name.find_first_of(" \t:") == std::string::npos);
  }
  Require(request.body.size() <= kLimits.max_body_bytes);
}

struct Outcome {
  std::vector<HttpRequest> requests;
  /// Zero if the stream ended between or within requests.
  int refused = 0;
};

/// Feeds as Connection does: bytes that were not consumed are fed again, followed by the next chunk.
Outcome ReadAll(std::string_view stream, std::size_t first, std::size_t others) {
  Outcome outcome;
  RequestReader reader(kLimits);
  std::string waiting;
  std::size_t size = first;
  for (bool more = true; more;) {
    const RequestProgress progress = reader.Feed(waiting);
    Require(progress.consumed <= waiting.size());
    waiting.erase(0, progress.consumed);
    switch (progress.kind) {
      case RequestProgress::Kind::kRefused:
        Require(progress.status >= 400 && progress.status < 600 && !progress.message.empty());
        outcome.refused = progress.status;
        return outcome;
      case RequestProgress::Kind::kComplete: {
        HttpRequest request = reader.Take();
        RequireSound(request);
        outcome.requests.push_back(std::move(request));
        break;
      }
      case RequestProgress::Kind::kNeedMore:
        more = !stream.empty();
        waiting += stream.substr(0, size);
        stream.remove_prefix(std::min(size, stream.size()));
        size = others;
    }
  }
  return outcome;
}

/// A malformed head may be refused before it is complete, or not at all if the stream ends first, depending on the
/// chunking.
void RequireSame(const Outcome& a, const Outcome& b) {
  Require(a.requests.size() == b.requests.size());
  Require(a.refused == b.refused || a.refused == 0 || b.refused == 0);
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    const HttpRequest& one = a.requests[i];
    const HttpRequest& other = b.requests[i];
    Require(one.method == other.method && one.target == other.target && one.headers == other.headers);
    Require(one.body == other.body);
  }
}

using Frames = std::vector<std::pair<WebSocketOpcode, std::string>>;

/// The control frames, and whether the stream followed the protocol.
std::pair<Frames, bool> ReadFrames(std::string_view stream, std::size_t first, std::size_t others) {
  WebSocketReader reader;
  Frames frames;
  const auto keep = [&](WebSocketOpcode opcode, std::string_view payload) {
    Require(payload.size() <= 125);
    frames.emplace_back(opcode, payload);
  };
  for (std::size_t size = first; !stream.empty(); size = others) {
    const std::string chunk(stream.substr(0, size));
    stream.remove_prefix(chunk.size());
    if (!reader.Feed(chunk, keep)) return {std::move(frames), false};
  }
  return {std::move(frames), true};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes choose the chunk sizes.
  const std::size_t first = data[0] + std::size_t{1};
  const std::size_t others = data[1] + std::size_t{1};
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);

  const Outcome whole = ReadAll(stream, stream.size() + 1, 1);
  RequireSame(whole, ReadAll(stream, first, others));
  RequireSame(whole, ReadAll(stream, 1, 1));

  const auto frames = ReadFrames(stream, stream.size() + 1, 1);
  Require(frames == ReadFrames(stream, first, others));
  Require(frames == ReadFrames(stream, 1, 1));
  return 0;
}
