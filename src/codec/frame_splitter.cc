#include "src/codec/frame_splitter.h"

#include <cstring>

namespace kinformer::internal {
namespace {

/// A buffer that has grown for one huge event is not kept.
constexpr std::size_t kKeptFrameBytes = 1U << 20U;

std::string_view WithoutCarriageReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void FrameSplitter::Feed(std::string_view chunk) { chunk_ = chunk; }

void FrameSplitter::DropTaken() {
  if (!partial_taken_) return;
  partial_taken_ = false;
  partial_.clear();
  if (partial_.capacity() > kKeptFrameBytes) partial_.shrink_to_fit();
}

Result<std::optional<std::string_view>> FrameSplitter::Next() {
  DropTaken();
  while (!failed_ && !chunk_.empty()) {
    const void* const newline = std::memchr(chunk_.data(), '\n', chunk_.size());
    const std::size_t size = newline == nullptr
                                 ? chunk_.size()
                                 : static_cast<std::size_t>(static_cast<const char*>(newline) - chunk_.data());
    if (size > options_.max_frame_bytes - partial_.size()) {
      failed_ = true;
      break;
    }
    const std::string_view piece = chunk_.substr(0, size);
    chunk_.remove_prefix(newline == nullptr ? size : size + 1);
    if (newline == nullptr) {
      partial_.append(piece);
      return std::nullopt;
    }
    if (partial_.empty()) {
      if (const auto line = WithoutCarriageReturn(piece); !line.empty()) return line;
      continue;
    }
    partial_.append(piece);
    if (const auto line = WithoutCarriageReturn(partial_); !line.empty()) {
      partial_taken_ = true;
      return line;
    }
    partial_.clear();
  }
  if (!failed_) return std::nullopt;
  Error error;
  error.code = ErrorCode::kTooLarge;
  error.message = "watch event is longer than " + std::to_string(options_.max_frame_bytes) + " bytes";
  return error;
}

std::optional<std::string_view> FrameSplitter::Rest() {
  DropTaken();
  if (failed_) return std::nullopt;
  const std::string_view line = WithoutCarriageReturn(partial_);
  if (line.empty()) return std::nullopt;
  partial_taken_ = true;
  return line;
}

}  // namespace kinformer::internal
