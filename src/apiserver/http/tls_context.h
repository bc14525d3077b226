#ifndef KINFORMER_SRC_APISERVER_HTTP_TLS_CONTEXT_H_
#define KINFORMER_SRC_APISERVER_HTTP_TLS_CONTEXT_H_

#include <memory>

#include <kinformer/base/result.h>

#include "src/apiserver/http/http_server.h"
#include "src/apiserver/http/openssl_ptr.h"

namespace kinformer::apiserver {

/// The server's side of TLS for all connections. Errors are kInvalidConfig and quote nothing of the PEMs.
Result<SslContextPtr> MakeTlsContext(const TlsOptions& options);

/// After the handshake: the certificate that the client gave, or why it is not to be believed.
void ReadClientCertificate(const SSL* ssl, HttpPeer& peer);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_TLS_CONTEXT_H_
