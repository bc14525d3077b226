#ifndef KINFORMER_SRC_HTTP_RESPONSE_HEAD_H_
#define KINFORMER_SRC_HTTP_RESPONSE_HEAD_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// "Not Found" for 404; "Unknown" for a code that HTTP does not name.
std::string_view ReasonPhrase(int status);

/// "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(std::chrono::system_clock::time_point time);

/// How the end of a body is marked.
enum class BodyFraming {
  kNone,        ///< No body and no header for it: 1xx, 204, 304, 101.
  kLength,      ///< Content-Length.
  kChunked,     ///< Transfer-Encoding: chunked.
  kUntilClose,  ///< By closing the connection.
};

struct ResponseHead {
  int status = 200;
  BodyFraming framing = BodyFraming::kLength;
  std::uint64_t content_length = 0;
  /// Writes a Connection header if this is not the default of the peer's HTTP version.
  bool keep_alive = true;
  int minor_version = 1;
};

/// The bytes of a head, including its empty line. Filters `headers` as described at HttpExchange.
std::string EncodeResponseHead(const ResponseHead& head, const std::vector<HttpHeader>& headers);

/// Whether `headers` has "Connection: close".
bool AsksToClose(const std::vector<HttpHeader>& headers);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_RESPONSE_HEAD_H_
