#ifndef KINFORMER_SRC_APISERVER_HTTP_REQUEST_READER_H_
#define KINFORMER_SRC_APISERVER_HTTP_REQUEST_READER_H_

// In:     a connection's bytes, in any pieces
// Out:    HttpRequests, or the status to refuse one with
// Thread: none of its own; pure
// Next:   Connection

#include <cstddef>
#include <memory>
#include <string_view>

#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

struct RequestLimits {
  std::size_t max_body_bytes = 0;
  std::size_t max_header_bytes = 0;
  std::size_t max_target_bytes = 0;
};

struct RequestProgress {
  enum class Kind { kNeedMore, kComplete, kRefused };
  Kind kind = Kind::kNeedMore;
  /// Done with; the rest must come again, with what follows it behind it.
  std::size_t consumed = 0;
  /// Where refused: what to answer, before the connection is closed.
  int status = 0;
  std::string_view message{};
};

/// Parses one request after the other. Chunked bodies come out whole; trailers are dropped.
class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  RequestProgress Feed(std::string_view bytes);

  /// A byte of the request has come, or its whole head.
  bool HasBegun() const;
  bool HasHead() const;
  /// The head asks for "100 Continue" and nothing of the body has come. True once a request.
  bool TakeContinue();
  /// Whether the connection may carry another request after this one. Once it has its head.
  bool KeepAlive() const;
  /// The request that is complete; the reader is then ready for the next.
  HttpRequest Take();

 private:
  struct Parsing;
  RequestProgress AcceptHead();

  const RequestLimits limits_;
  // Of the request being read alone: connections are silent most of the time.
  std::unique_ptr<Parsing> parsing_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_REQUEST_READER_H_
