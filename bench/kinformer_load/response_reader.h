#ifndef KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_

// In:     the bytes of one answer of HTTP/1.1, cut anywhere
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

  /// Bytes after the answer's end are an error: requests are not sent ahead.
  Result<void> Take(std::string_view bytes, const Sink& body);

  bool HeadDone() const { return state_ != State::kHead; }
  bool Done() const { return state_ == State::kDone; }
  int status() const { return status_; }
  /// The server keeps the connection for another request.
  bool KeepsAlive() const { return keeps_alive_; }
  /// For the next answer.
  void Reset() { *this = {}; }

 private:
  enum class State { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kTrailer, kDone };

  Result<void> ReadHead();
  Result<void> ReadChunkSize();
  /// Takes the rest of a line out of `bytes`, into line_. True: it is whole, and without its end.
  bool TakeLine(std::string_view& bytes);

  State state_ = State::kHead;
  std::string line_;
  std::uint64_t left_ = 0;  ///< Of the body, or of the chunk.
  int status_ = 0;
  bool keeps_alive_ = true;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_RESPONSE_READER_H_
