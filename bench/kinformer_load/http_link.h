#ifndef KINFORMER_BENCH_KINFORMER_LOAD_HTTP_LINK_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_HTTP_LINK_H_

// In:     requests, one after the other
// Out:    their responses
// Thread: one, the Poller's
// Next:   WatcherPool, RequestPump, the list benchmark

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/connection.h"
#include "bench/kinformer_load/poller.h"
#include "bench/kinformer_load/response_reader.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// A connection with the response in progress on it.
class HttpLink {
 public:
  /// Target and poller must outlive it. `number` identifies it in the poller's events.
  HttpLink(const Target& target, Poller& poller, std::size_t number)
      : target_(target), poller_(poller), number_(number) {}

  /// Connects if there is no reusable connection. Precondition: the previous response is done.
  Result<void> Send(std::string_view request);
  /// Call when the poller reports readiness. Passes the response body to `body`; `buffer` is scratch space.
  Result<void> OnReady(std::span<char> buffer, const ResponseReader::Sink& body);

  const ResponseReader& answer() const { return answer_; }

 private:
  Result<void> Advance();

  const Target& target_;
  Poller& poller_;
  const std::size_t number_;
  std::unique_ptr<Connection> connection_;
  bool polled_for_write_ = false;
  bool ended_ = false;
  ResponseReader answer_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_HTTP_LINK_H_
