#include "bench/kinformer_load/response_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace kinformer::bench {
namespace {

constexpr std::size_t kMaxHeadBytes = 64U << 10U;

Error Malformed(std::string what) { return {.code = ErrorCode::kMalformed, .message = std::move(what)}; }

template <typename Number>
std::optional<Number> Parse(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A header's value in lower case; empty if absent.
std::string HeaderOf(std::string_view head, std::string_view name) {
  std::string small(head);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  const std::size_t at = small.find("\n" + std::string(name) + ":");
  if (at == std::string::npos) return {};
  std::size_t begin = at + name.size() + 2;
  std::size_t end = std::min(small.find('\n', begin), small.size());
  while (begin < end && small[begin] == ' ') ++begin;
  while (end > begin && (small[end - 1] == ' ' || small[end - 1] == '\r')) --end;
  return small.substr(begin, end - begin);
}

}  // namespace

bool ResponseReader::TakeLine(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  line_.append(bytes.substr(0, end));
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return false;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return true;
}

Result<void> ResponseReader::ReadHead() {
  const std::string_view head = line_;
  const auto status = head.starts_with("HTTP/1.1 ") ? Parse<int>(head.substr(9, 3), 10) : std::nullopt;
  if (!status) return Malformed("no answer of HTTP/1.1");
  status_ = *status;
  keeps_alive_ = HeaderOf(head, "connection") != "close";
  if (HeaderOf(head, "transfer-encoding") == "chunked") {
    state_ = State::kChunkSize;
  } else {
    const auto length = Parse<std::uint64_t>(HeaderOf(head, "content-length"), 10);
    if (!length) return Malformed("an answer that is neither chunked nor has a length");
    left_ = *length;
    state_ = left_ == 0 ? State::kDone : State::kLength;
  }
  line_.clear();
  return {};
}

Result<void> ResponseReader::ReadChunkSize() {
  const auto size = Parse<std::uint64_t>(line_, 16);
  if (!size) return Malformed("no size of a chunk: \"" + line_.substr(0, 40) + "\"");
  line_.clear();
  left_ = *size;
  state_ = left_ == 0 ? State::kTrailer : State::kChunk;
  return {};
}

Result<void> ResponseReader::Take(std::string_view bytes, const Sink& body) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::kHead: {
        // The head's lines are collected with a newline each; an empty line ends the head.
        if (TakeLine(bytes)) {
          const bool over = line_.empty() || line_.back() == '\n';
          line_.push_back('\n');
          if (over) {
            if (auto read = ReadHead(); !read) return read;
          }
        }
        if (line_.size() > kMaxHeadBytes) return Malformed("the head of an answer has no end");
        break;
      }
      case State::kLength:
      case State::kChunk: {
        const std::string_view piece = bytes.substr(0, left_);
        bytes.remove_prefix(piece.size());
        left_ -= piece.size();
        body(piece);
        if (left_ == 0) state_ = state_ == State::kLength ? State::kDone : State::kChunkEnd;
        break;
      }
      case State::kChunkEnd:
        if (!TakeLine(bytes)) break;
        if (!line_.empty()) return Malformed("a chunk is longer than it says");
        state_ = State::kChunkSize;
        break;
      case State::kChunkSize:
        if (TakeLine(bytes)) {
          if (auto read = ReadChunkSize(); !read) return read;
        }
        if (line_.size() > kMaxHeadBytes) return Malformed("the size of a chunk has no end");
        break;
      case State::kTrailer:
        if (!TakeLine(bytes)) break;
        if (line_.empty()) state_ = State::kDone;
        line_.clear();
        break;
      case State::kDone:
        return Malformed("something after the end of an answer");
    }
  }
  return {};
}

}  // namespace kinformer::bench
