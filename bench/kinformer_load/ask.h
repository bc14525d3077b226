#ifndef KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_

// In:     a request
// Out:    the body of its response
// Thread: the caller's, which blocks
// Next:   the benchmarks, for requests they do not measure

#include <chrono>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/http_link.h"
#include "bench/kinformer_load/poller.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// Sends a request and reads its response. The poller must have no other link. `timeout` is an idle timeout. kServer
/// for a status other than 2xx.
Result<void> ReadAnswer(HttpLink& link, Poller& poller, std::string_view request, std::chrono::seconds timeout,
                        const ResponseReader::Sink& body);

/// Likewise on a connection for this request alone. Does not use the client library, which sends no credentials to a
/// server without TLS.
Result<std::string> Ask(const Target& target, std::string_view request, std::chrono::seconds timeout);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_
