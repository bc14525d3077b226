#ifndef KINFORMER_SRC_HTTP_REQUEST_READER_H_
#define KINFORMER_SRC_HTTP_REQUEST_READER_H_

// In:     a connection's bytes, in arbitrary pieces
// Out:    HttpRequests, or the status to reject one with
// Thread: none of its own; pure
// Next:   Connection

#include <cstddef>
#include <memory>
#include <string_view>

#include "src/http/http_request.h"

namespace kinformer::apiserver {

struct RequestLimits {
  std::size_t max_body_bytes = 0;
  std::size_t max_header_bytes = 0;
  std::size_t max_target_bytes = 0;
};

struct RequestProgress {
  enum class Kind { kNeedMore, kComplete, kRefused };
  Kind kind = Kind::kNeedMore;
  /// Bytes consumed. The rest must be passed again, followed by further input.
  std::size_t consumed = 0;
  /// For kRefused: the response, after which the connection is closed.
  int status = 0;
  std::string_view message{};
};

/// Parses one request after the other. Chunked bodies are decoded; trailers are dropped.
class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  RequestProgress Feed(std::string_view bytes);

  /// Whether a byte of the request, or its complete head, has arrived.
  bool HasBegun() const;
  bool HasHead() const;
  /// True once per request, if its head expects "100 Continue" and nothing of the body has arrived.
  bool TakeContinue();
  /// Whether the connection may carry another request after this one. Valid once the head has arrived.
  bool KeepAlive() const;
  /// The complete request. Makes the reader ready for the next.
  HttpRequest Take();

 private:
  struct Parsing;
  RequestProgress AcceptHead();

  const RequestLimits limits_;
  // Null between requests: connections are idle most of the time.
  std::unique_ptr<Parsing> parsing_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_REQUEST_READER_H_
