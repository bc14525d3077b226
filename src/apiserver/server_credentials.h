#ifndef KINFORMER_SRC_APISERVER_SERVER_CREDENTIALS_H_
#define KINFORMER_SRC_APISERVER_SERVER_CREDENTIALS_H_

// In:     the server's options
// Out:    its certificates and the administrator's token; what a client needs to connect
// Thread: any; immutable once made
// Next:   ApiServer

#include <cstdint>
#include <string>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/authenticator.h"
#include "src/http/certificates.h"

namespace kinformer::apiserver {

struct ServerCredentials {
  /// The administrator's: as given, or random.
  Secret token{};
  /// Empty without TLS.
  ServingCertificates certificates{};

  /// Fails with kInvalidConfig for a token that no header can carry, or for unusable certificates.
  static Result<ServerCredentials> Prepare(const ApiServerOptions& options);

  /// Accepts the administrator's token and those of the options.
  Authenticator MakeAuthenticator(const ApiServerOptions& options) const;
  Config ClientConfig(const std::string& url) const;
  std::string Kubeconfig(const std::string& url) const;
};

/// Reports bad certificates early and by option name; a connection would only fail later, with an OpenSSL error.
Result<void> CheckEtcdTls(const ApiServerOptions& options);

/// The URL for clients on this machine. Wildcard addresses become loopback.
std::string ServerUrl(const ApiServerOptions& options, std::uint16_t port);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SERVER_CREDENTIALS_H_
