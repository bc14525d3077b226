#ifndef KINFORMER_BENCH_KINFORMER_LOAD_HTTP_LINK_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_HTTP_LINK_H_

// In:     one request after the other
// Out:    their answers
// Thread: one, the Poller's
// Next:   WatcherPool, RequestPump, the list

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

/// A connection and the answer that is under way on it.
class HttpLink {
 public:
  /// Target and poller must outlive it. The poller names it by `number`.
  HttpLink(const Target& target, Poller& poller, std::size_t number)
      : target_(target), poller_(poller), number_(number) {}

  /// Connects where there is no connection, or none that could be used again. The answer before must be done.
  Result<void> Send(std::string_view request);
  /// To be called when the poller says so. Body goes to `body`; `buffer` is room to work in.
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
