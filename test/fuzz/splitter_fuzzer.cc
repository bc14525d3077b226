// Frames are the same regardless of chunking; joined, they are the stream without its line ends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "src/codec/frame_splitter.h"

namespace {

using kinformer::internal::FrameSplitter;

std::vector<std::string> Split(std::string_view stream, std::size_t first, std::size_t others) {
  FrameSplitter splitter;
  std::vector<std::string> frames;
  for (std::size_t size = first; !stream.empty(); size = others) {
    const std::string chunk(stream.substr(0, size));
    stream.remove_prefix(chunk.size());
    splitter.Feed(chunk);
    for (;;) {
      const auto frame = splitter.Next();
      if (!frame) std::abort();
      if (!*frame) break;
      if ((*frame)->empty() || (*frame)->find('\n') != std::string_view::npos) std::abort();
      frames.emplace_back(**frame);
    }
  }
  if (const auto rest = splitter.Rest()) frames.emplace_back(*rest);
  return frames;
}

/// Reference implementation: the frames of the stream by a literal reading of the rules.
std::vector<std::string> Expected(std::string_view stream) {
  std::vector<std::string> lines;
  while (!stream.empty()) {
    const std::size_t end = std::min(stream.find('\n'), stream.size());
    std::string_view line = stream.substr(0, end);
    stream.remove_prefix(std::min(end + 1, stream.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes choose the chunk sizes.
  const std::size_t first = data[0] + std::size_t{1};
  const std::size_t others = data[1] + std::size_t{1};
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto expected = Expected(stream);
  if (Split(stream, stream.size() + 1, 1) != expected) std::abort();
  if (Split(stream, first, others) != expected) std::abort();
  if (Split(stream, 1, 1) != expected) std::abort();
  return 0;
}
