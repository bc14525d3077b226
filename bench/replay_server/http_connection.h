#ifndef KINFORMER_BENCH_REPLAY_SERVER_HTTP_CONNECTION_H_
#define KINFORMER_BENCH_REPLAY_SERVER_HTTP_CONNECTION_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::bench {

struct HttpRequest {
  std::string method{};
  std::string path{};
  std::map<std::string, std::string> query{};
  std::string accept{};

  /// Empty if absent.
  std::string Query(const std::string& name) const;
};

/// The server's end of an HTTP/1.1 connection: sequential requests without bodies.
///
/// @par Thread Safety
/// One thread at a time, except Shutdown: from any thread during the connection's lifetime.
class HttpConnection {
 public:
  /// Owns the socket.
  explicit HttpConnection(int socket);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const { return socket_; }
  /// Makes all further reads and writes fail.
  void Shutdown() const;

  /// nullopt if the client has disconnected or sent an unsupported request.
  std::optional<HttpRequest> ReadRequest();
  bool SendWhole(int code, std::string_view content_type, std::string_view body);

  /// A chunked body. Parts are buffered; what is appended between BeginChunk and EndChunk becomes one chunk.
  void BeginBody(std::string_view content_type);
  std::string& BeginChunk();
  /// Sends the buffer once it is large enough. False if the client has disconnected.
  bool EndChunk();
  bool Flush();
  bool EndBody();

 private:
  const int socket_;
  std::string in_;
  std::string out_;
  std::size_t chunk_ = 0;  ///< Start of the open chunk in out_.
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_REPLAY_SERVER_HTTP_CONNECTION_H_
