#include <kinformer/transport/transport.h>

#include "src/base/await_ready.h"
#include "src/base/text.h"

namespace kinformer {

void ResponseStream::Recycle(std::string chunk) { chunk.clear(); }

std::optional<std::string_view> FindHeader(const std::vector<Header>& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (internal::EqualsIgnoringCase(header.first, name)) return header.second;
  }
  return std::nullopt;
}

Result<ResponsePart> Next(ResponseStream& stream, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"};
    Result<std::optional<ResponsePart>> part = stream.TryNext();
    if (!part) return std::move(part).error();
    if (*part) return std::move(**part);
    internal::AwaitReady(stream, stop);
  }
}

Result<std::string> ReadBody(ResponseStream& stream, std::size_t limit, const std::stop_token& stop) {
  std::string body;
  for (;;) {
    Result<ResponsePart> part = Next(stream, stop);
    if (!part) return std::move(part).error();
    if (std::holds_alternative<ResponseEnd>(*part)) return body;
    if (const auto* chunk = std::get_if<std::string>(&*part)) {
      if (chunk->size() > limit - body.size()) {
        return Error{.code = ErrorCode::kTooLarge,
                     .message = "the response body exceeds " + std::to_string(limit) + " bytes"};
      }
      body += *chunk;
    }
  }
}

}  // namespace kinformer
