#ifndef KINFORMER_SRC_HTTP_HTTP_REQUEST_H_
#define KINFORMER_SRC_HTTP_HTTP_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

struct HttpHeader {
  std::string name{};
  std::string value{};

  bool operator==(const HttpHeader&) const = default;
};

/// The subject of a certificate verified against the client CA: Kubernetes' user name and groups.
struct ClientCertificate {
  std::string common_name{};
  std::vector<std::string> organizations{};

  bool operator==(const ClientCertificate&) const = default;
};

/// The other end of a connection.
struct HttpPeer {
  /// "127.0.0.1:51234" or "[::1]:51234".
  std::string address{};
  bool tls = false;
  /// Set if the client presented one and it was verified.
  std::optional<ClientCertificate> certificate{};
  /// Why the presented certificate is not trusted; empty if there is none, or it is trusted.
  std::string certificate_error{};
};

/// A request with its complete body.
struct HttpRequest {
  std::string method{};
  /// As sent. `path` and `query` are the parts before and after the first '?', still percent-encoded. They lack the
  /// scheme and host of a proxy's absolute form ("http://host/path").
  std::string target{};
  std::string path{};
  std::string query{};
  /// 1 for HTTP/1.1, 0 for HTTP/1.0.
  int minor_version = 1;
  /// In the order sent; names may be repeated.
  std::vector<HttpHeader> headers{};
  std::string body{};
  HttpPeer peer{};

  /// The first header with that name, ignoring case; null if there is none.
  const std::string* FindHeader(std::string_view name) const;
  /// Whether a comma-separated header (Connection, Upgrade) contains `token`, ignoring case.
  bool HeaderNames(std::string_view name, std::string_view token) const;
  /// Whether this is a valid opening handshake of WebSocket version 13.
  bool IsWebSocketUpgrade() const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_HTTP_REQUEST_H_
