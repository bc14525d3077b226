#ifndef KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_
#define KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_

// In:     an answer that is complete
// Out:    the same, smaller, where the client takes it
// Thread: any; pure
// Next:   HttpExchange::Respond

#include <cstddef>
#include <vector>

#include "src/apiserver/http/buffer.h"
#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

/// What is smaller is not worth the time.
inline constexpr std::size_t kGzipThreshold = std::size_t{128} * 1024;

/// Whether Accept-Encoding names gzip, as it stands: with a quality it is not taken, as by a real server.
bool AcceptsGzip(const HttpRequest& request);

/// Compresses `body` and says so in `headers`, if the client accepts gzip and there is enough of it. The parts are read
/// one after the other, so a large list is never in one piece.
void CompressAnswer(const HttpRequest& request, std::vector<HttpHeader>& headers, std::vector<Buffer>& body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_COMPRESSION_GZIP_H_
