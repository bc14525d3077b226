#ifndef KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_
#define KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_

// In:     a complete response
// Out:    the response compressed, if the client accepts it
// Thread: any; pure
// Next:   HttpExchange::Respond

#include <cstddef>
#include <vector>

#include "src/http/buffer.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// Smaller bodies are not worth compressing.
inline constexpr std::size_t kGzipThreshold = std::size_t{128} * 1024;

/// Whether Accept-Encoding contains plain "gzip". As in kube-apiserver, it does not count with a quality value.
bool AcceptsGzip(const HttpRequest& request);

/// Compresses `body` and adds the `headers`, if the client accepts gzip and the body is large enough. Parts are
/// compressed one after the other, so a large list is never copied into one buffer.
void CompressAnswer(const HttpRequest& request, std::vector<HttpHeader>& headers, std::vector<Buffer>& body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_
