#ifndef KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_

// In:     a request
// Out:    the body of its answer
// Thread: the caller's, which waits
// Next:   the benchmarks, for what they do not measure

#include <chrono>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/http_link.h"
#include "bench/kinformer_load/poller.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// Sends a request and reads its answer; the poller knows no other link. kServer for any status but 2xx.
Result<void> ReadAnswer(HttpLink& link, Poller& poller, std::string_view request, std::chrono::seconds timeout,
                        const ResponseReader::Sink& body);

/// The same on a connection for this request alone. Not through the client library, which sends no credentials to a
/// server without TLS.
Result<std::string> Ask(const Target& target, std::string_view request, std::chrono::seconds timeout);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_ASK_H_
