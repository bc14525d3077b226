#ifndef KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_
#define KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kinformer::internal {

/// Which instructions to use; others than the best are for tests.
enum class ScannerCpu { kBest, kBaseline, kPortable };

struct BlockScannerState {
  std::uint64_t in_string = 0;  ///< All ones inside a string, else 0.
  std::uint64_t escaped = 0;    ///< 1 if the next byte is escaped.
  std::uint64_t depth = 0;
};

/// Finds where an object or array ends, 64 bytes at a step: brackets are counted, strings are left out. It validates
/// nothing, does not tell `[` from `{`, and keeps its place when the text comes in pieces.
class BlockScanner {
 public:
  explicit BlockScanner(ScannerCpu cpu = ScannerCpu::kBest) : cpu_(cpu) {}

  /// Position after the bracket that closes what the first byte ever given opened; nullopt if it is not in `text`.
  /// The next call then continues with the bytes that follow.
  std::optional<std::size_t> FindEnd(std::string_view text);
  /// Forgets everything: the next byte opens something new.
  void Reset() { state_ = {}; }

 private:
  ScannerCpu cpu_;
  BlockScannerState state_;
};

/// Position after the value at `begin`. Precondition: `text` is valid JSON and a value begins there.
std::size_t ValueEnd(std::string_view text, std::size_t begin);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_
