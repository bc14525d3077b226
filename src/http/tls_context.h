#ifndef KINFORMER_SRC_HTTP_TLS_CONTEXT_H_
#define KINFORMER_SRC_HTTP_TLS_CONTEXT_H_

#include <memory>

#include <kinformer/base/result.h>

#include "src/http/http_server.h"
#include "src/http/openssl_ptr.h"

namespace kinformer::apiserver {

/// The server's TLS context, for all connections. Errors are kInvalidConfig and never quote the PEMs.
Result<SslContextPtr> MakeTlsContext(const TlsOptions& options);

/// After the handshake: stores the client's certificate, or why it is not trusted.
void ReadClientCertificate(const SSL* ssl, HttpPeer& peer);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_TLS_CONTEXT_H_
