#ifndef KINFORMER_SRC_CODEC_FRAME_SPLITTER_H_
#define KINFORMER_SRC_CODEC_FRAME_SPLITTER_H_

// In:     bytes of a watch response, in whatever pieces the network delivers
// Out:    whole lines, one watch event each
// Thread: the consumer's; no state is shared
// Next:   ReadWatchEvent (watch_event.h)

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

struct FrameSplitterOptions {
  /// A longer event is an error, so that a hostile server cannot make us buffer without end.
  std::size_t max_frame_bytes = 64U << 20U;
};

/// Cuts a byte stream into lines. Handles "\n" and "\r\n", skips empty lines, keeps at most one unfinished line, and
/// copies nothing where a line lies whole inside one chunk.
class FrameSplitter {
 public:
  explicit FrameSplitter(FrameSplitterOptions options = {}) : options_(options) {}

  /// Gives the next chunk. All frames of the previous chunk must have been taken (Next returned nullopt).
  /// `chunk` must stay valid until then.
  void Feed(std::string_view chunk);
  /// The next whole frame, valid until the next call of Feed or Next; nullopt when more bytes are needed.
  /// kTooLarge once a frame exceeds the limit; the stream is then unusable.
  Result<std::optional<std::string_view>> Next();
  /// At the end of the stream: the last line where it lacks only its newline.
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
