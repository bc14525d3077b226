#ifndef KINFORMER_SRC_APISERVER_HTTP_RESPONSE_HEAD_H_
#define KINFORMER_SRC_APISERVER_HTTP_RESPONSE_HEAD_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

/// "Not Found" for 404; "Unknown" for a code that HTTP does not name.
std::string_view ReasonPhrase(int status);

/// "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(std::chrono::system_clock::time_point time);

/// How the peer learns where a body ends.
enum class BodyFraming {
  kNone,        ///< There is none, and no header says so: 1xx, 204, 304, 101.
  kLength,      ///< Content-Length.
  kChunked,     ///< Transfer-Encoding: chunked.
  kUntilClose,  ///< With the connection.
};

struct ResponseHead {
  int status = 200;
  BodyFraming framing = BodyFraming::kLength;
  std::uint64_t content_length = 0;
  /// A Connection header is written where the peer's version does not say so by itself.
  bool keep_alive = true;
  int minor_version = 1;
};

/// The bytes of a head, to its empty line. What HttpExchange says of `headers` is done here.
std::string EncodeResponseHead(const ResponseHead& head, const std::vector<HttpHeader>& headers);

/// Whether `headers` has "Connection: close".
bool AsksToClose(const std::vector<HttpHeader>& headers);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_RESPONSE_HEAD_H_
