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

  /// Empty where it is not there.
  std::string Query(const std::string& name) const;
};

/// The server's end of a connection that speaks HTTP/1.1: one request after the other, without bodies.
///
/// @par Thread Safety
/// One thread; but Shutdown may be called from any while the connection lives.
class HttpConnection {
 public:
  /// Owns the socket.
  explicit HttpConnection(int socket);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const { return socket_; }
  /// Makes every read and write fail from now on.
  void Shutdown() const;

  /// nullopt: the client is gone, or does not speak HTTP as we do.
  std::optional<HttpRequest> ReadRequest();
  bool SendWhole(int code, std::string_view content_type, std::string_view body);

  /// A chunked body: its parts are buffered, each one a chunk of its own between BeginChunk and EndChunk.
  void BeginBody(std::string_view content_type);
  std::string& BeginChunk();
  /// Sends what has gathered once it is much. False: the client is gone.
  bool EndChunk();
  bool Flush();
  bool EndBody();

 private:
  const int socket_;
  std::string in_;
  std::string out_;
  std::size_t chunk_ = 0;  ///< Where the open chunk begins in out_.
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_REPLAY_SERVER_HTTP_CONNECTION_H_
