#include "src/apiserver/compression/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

/// The fastest, as in kube-apiserver: cluster networks are fast.
constexpr int kLevel = 1;
/// A window of 32 KiB, with gzip's header and trailer instead of zlib's.
constexpr int kWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;
constexpr std::size_t kChunk = std::size_t{64} * 1024;

class Deflater {
 public:
  Deflater()
      : good_(deflateInit2(&stream_, kLevel, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~Deflater() {
    if (good_) deflateEnd(&stream_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  bool good() const { return good_; }

  bool Write(std::string_view bytes, int flush, std::vector<Buffer>& out) {
    // A part may exceed zlib's counters.
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max() / 2;
    do {
      const std::string_view piece = bytes.substr(0, kMost);
      bytes.remove_prefix(piece.size());
      // zlib does not write to it; its API predates const.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      if (!Run(bytes.empty() ? flush : Z_NO_FLUSH, out)) return false;
    } while (!bytes.empty());
    return true;
  }

 private:
  bool Run(int flush, std::vector<Buffer>& out) {
    for (;;) {
      if (chunk_.empty()) {
        chunk_.resize(kChunk);
        used_ = 0;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data() + used_);
      stream_.avail_out = static_cast<uInt>(kChunk - used_);
      const int result = deflate(&stream_, flush);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
      used_ = kChunk - stream_.avail_out;
      if (stream_.avail_out == 0 || result == Z_STREAM_END) {
        chunk_.resize(used_);
        if (used_ > 0) out.emplace_back(std::exchange(chunk_, {}));
        chunk_.clear();
        if (result != Z_STREAM_END) continue;
      }
      return true;
    }
  }

  z_stream stream_{};
  const bool good_;
  std::string chunk_;
  std::size_t used_ = 0;
};

std::optional<std::vector<Buffer>> Compressed(const std::vector<Buffer>& body) {
  Deflater deflater;
  if (!deflater.good()) return std::nullopt;
  std::vector<Buffer> out;
  for (const Buffer& part : body) {
    if (!deflater.Write(part.bytes, Z_NO_FLUSH, out)) return std::nullopt;
  }
  if (!deflater.Write({}, Z_FINISH, out)) return std::nullopt;
  return out;
}

}  // namespace

bool AcceptsGzip(const HttpRequest& request) {
  return std::any_of(request.headers.begin(), request.headers.end(), [](const HttpHeader& header) {
    if (!internal::EqualsIgnoringCase(header.name, "Accept-Encoding")) return false;
    std::string_view rest = header.value;
    for (;;) {
      const std::size_t comma = rest.find(',');
      std::string_view token = rest.substr(0, comma);
      while (token.starts_with(' ') || token.starts_with('\t')) token.remove_prefix(1);
      while (token.ends_with(' ') || token.ends_with('\t')) token.remove_suffix(1);
      if (token == "gzip") return true;
      if (comma == std::string_view::npos) return false;
      rest.remove_prefix(comma + 1);
    }
  });
}

void CompressAnswer(const HttpRequest& request, std::vector<HttpHeader>& headers, std::vector<Buffer>& body) {
  std::size_t size = 0;
  for (const Buffer& part : body) size += part.bytes.size();
  if (size < kGzipThreshold || !AcceptsGzip(request)) return;
  std::optional<std::vector<Buffer>> smaller = Compressed(body);
  // Out of memory: send it uncompressed.
  if (!smaller) return;
  body = *std::move(smaller);
  headers.push_back({"Content-Encoding", "gzip"});
  headers.push_back({"Vary", "Accept-Encoding"});
}

}  // namespace kinformer::apiserver
