#ifndef KINFORMER_SRC_APISERVER_HTTP_HTTP_REQUEST_H_
#define KINFORMER_SRC_APISERVER_HTTP_HTTP_REQUEST_H_

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

/// ASCII, as header names and tokens are compared.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

/// Of a certificate that the server's client CA vouches for: Kubernetes takes these for user and groups.
struct ClientCertificate {
  std::string common_name{};
  std::vector<std::string> organizations{};

  bool operator==(const ClientCertificate&) const = default;
};

/// Who is at the other end of a connection.
struct HttpPeer {
  /// "127.0.0.1:51234" or "[::1]:51234".
  std::string address{};
  bool tls = false;
  /// Set if one was given and verified.
  std::optional<ClientCertificate> certificate{};
  /// Why the one that was given is not to be believed; empty if none was given or it is good.
  std::string certificate_error{};
};

/// A request, complete with its body.
struct HttpRequest {
  std::string method{};
  /// As it was sent; `path` and `query` are its two sides of the first '?', both still percent-encoded. A proxy's
  /// absolute form ("http://host/path") is cut down to what follows the host.
  std::string target{};
  std::string path{};
  std::string query{};
  /// 1 for HTTP/1.1, 0 for HTTP/1.0.
  int minor_version = 1;
  /// In the order of the request; a name may be there more than once.
  std::vector<HttpHeader> headers{};
  std::string body{};
  HttpPeer peer{};

  /// The first of that name, in any case. Null: none.
  const std::string* FindHeader(std::string_view name) const;
  /// Whether a header that is a comma-separated list (Connection, Upgrade) names `token`, in any case.
  bool HeaderNames(std::string_view name, std::string_view token) const;
  /// A well-formed opening handshake of WebSocket version 13.
  bool IsWebSocketUpgrade() const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_HTTP_REQUEST_H_
