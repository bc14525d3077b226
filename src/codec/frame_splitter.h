#ifndef KINFORMER_SRC_CODEC_FRAME_SPLITTER_H_
#define KINFORMER_SRC_CODEC_FRAME_SPLITTER_H_

// In:     bytes of a watch response, in arbitrary chunks
// Out:    complete lines, one watch event each
// Thread: the consumer's; no state is shared
// Next:   ReadWatchEvent (watch_event_reader.h)

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

struct FrameSplitterOptions {
  /// A longer event is an error, so that a hostile server cannot make the buffer grow without bound.
  std::size_t max_frame_bytes = 64U << 20U;
};

/// Splits a byte stream into lines. Accepts "\n" and "\r\n", skips empty lines, buffers at most one incomplete line,
/// and copies nothing if a line lies entirely inside one chunk.
class FrameSplitter {
 public:
  explicit FrameSplitter(FrameSplitterOptions options = {}) : options_(options) {}

  /// Sets the next chunk. Precondition: all frames of the previous chunk have been taken (Next returned nullopt).
  /// `chunk` must stay valid until then.
  void Feed(std::string_view chunk);
  /// The next complete frame, valid until the next call of Feed or Next; nullopt if more bytes are needed. kTooLarge if
  /// a frame exceeds the limit; the stream is then unusable.
  Result<std::optional<std::string_view>> Next();
  /// At the end of the stream: the last line, if only its newline is missing.
  std::optional<std::string_view> Rest();

 private:
  void DropTaken();

  FrameSplitterOptions options_;
  std::string_view chunk_;
  std::string partial_;
  bool partial_taken_ = false;
  bool failed_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_FRAME_SPLITTER_H_
