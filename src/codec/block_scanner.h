#ifndef KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_
#define KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kinformer::internal {

/// Which instruction set to use; all but the best are for tests.
enum class ScannerCpu { kBest, kBaseline, kPortable };

struct BlockScannerState {
  std::uint64_t in_string = 0;  ///< All ones inside a string, else 0.
  std::uint64_t escaped = 0;    ///< 1 if the next byte is escaped.
  std::uint64_t depth = 0;
};

/// Finds the end of an object or array, 64 bytes at a time, by counting brackets outside of strings. It does not
/// validate, does not distinguish `[` from `{`, and keeps its state between calls, so that the text may arrive in
/// pieces.
class BlockScanner {
 public:
  explicit BlockScanner(ScannerCpu cpu = ScannerCpu::kBest) : cpu_(cpu) {}

  /// The position after the bracket that closes the value which began with the first byte passed in; nullopt if it is
  /// not in `text`. The next call continues with the bytes that follow.
  std::optional<std::size_t> FindEnd(std::string_view text);
  /// Resets the state: the next byte begins a new value.
  void Reset() { state_ = {}; }

 private:
  ScannerCpu cpu_;
  BlockScannerState state_;
};

/// Position after the value at `begin`. Precondition: `text` is valid JSON and a value begins there.
std::size_t ValueEnd(std::string_view text, std::size_t begin);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_BLOCK_SCANNER_H_
