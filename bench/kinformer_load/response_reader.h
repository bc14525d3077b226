#ifndef KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_

// In:     the bytes of one HTTP/1.1 response, split anywhere
// Out:    its status, and its body in pieces, not copied
// Thread: one
// Next:   HttpLink

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::bench {

class ResponseReader {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Bytes after the end of the response are an error: requests are not pipelined.
  Result<void> Take(std::string_view bytes, const Sink& body);

  bool HeadDone() const { return state_ != State::kHead; }
  bool Done() const { return state_ == State::kDone; }
  int status() const { return status_; }
  /// True if the connection can be reused.
  bool KeepsAlive() const { return keeps_alive_; }
  /// Prepares for the next response.
  void Reset() { *this = {}; }

 private:
  enum class State { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kTrailer, kDone };

  Result<void> ReadHead();
  Result<void> ReadChunkSize();
  /// Moves the rest of a line from `bytes` to line_. True once the line is complete; its line ending is removed.
  bool TakeLine(std::string_view& bytes);

  State state_ = State::kHead;
  std::string line_;
  std::uint64_t left_ = 0;  ///< Bytes left of the body or the chunk.
  int status_ = 0;
  bool keeps_alive_ = true;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_
