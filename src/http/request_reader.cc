#include "src/http/request_reader.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "src/base/text.h"

namespace kinformer::apiserver {

namespace http = boost::beast::http;

namespace {

/// Size of "0\r\n\r\n". In a chunked body, whatever starts with '0' is followed by at least as much, so waiting for it
/// is safe. Avoids an assertion in Beast 1.81 when a body's only chunk is the last one and arrives byte by byte.
constexpr std::size_t kLastChunk = 5;
// No legitimate chunk size line or trailer is longer.
constexpr std::size_t kMaxChunkHeader = 16 * 1024;

RequestProgress Refuse(int status, std::string_view message) {
  return {RequestProgress::Kind::kRefused, 0, status, message};
}

RequestProgress Refuse(const boost::system::error_code& error) {
  if (error == http::error::body_limit) return Refuse(413, "the body is larger than the server accepts");
  if (error == http::error::header_limit) return Refuse(431, "the headers are larger than the server accepts");
  if (error == http::error::bad_version) return Refuse(505, "unsupported HTTP version: only HTTP/1.0 and HTTP/1.1");
  return Refuse(400, "malformed HTTP request");
}

/// Chunk extensions are ignored, but control characters in them are rejected: other parsers may take them for a line
/// end.
void CheckChunk(std::uint64_t /*size*/, boost::beast::string_view extensions, boost::system::error_code& error) {
  const bool clean = std::none_of(extensions.begin(), extensions.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
  if (!clean) error = http::error::bad_chunk_extension;
}

std::string String(boost::beast::string_view text) { return std::string(text.data(), text.size()); }

// The absolute form "http://host/path", as sent to proxies, reduced to "/path".
std::string_view OriginForm(std::string_view target) {
  const auto scheme = target.find("://");
  if (target.empty() || target.front() == '/' || scheme == std::string_view::npos) return target;
  const auto path = target.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

}  // namespace

struct RequestReader::Parsing {
  std::function<void(std::uint64_t, boost::beast::string_view, boost::system::error_code&)> check_chunk = CheckChunk;
  http::request_parser<http::string_body> parser;
  HttpRequest request;
  bool has_head = false;
  bool awaits_continue = false;
};

RequestReader::RequestReader(const RequestLimits& limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

bool RequestReader::HasBegun() const { return parsing_ != nullptr; }
bool RequestReader::HasHead() const { return parsing_ && parsing_->has_head; }
bool RequestReader::TakeContinue() { return parsing_ && std::exchange(parsing_->awaits_continue, false); }
bool RequestReader::KeepAlive() const { return HasHead() && parsing_->parser.keep_alive(); }

RequestProgress RequestReader::Feed(std::string_view bytes) {
  std::size_t consumed = 0;
  if (!parsing_) {
    // Some clients send an extra line break after a body.
    while (consumed < bytes.size() && (bytes[consumed] == '\r' || bytes[consumed] == '\n')) ++consumed;
    if (consumed == bytes.size()) return {RequestProgress::Kind::kNeedMore, consumed, 0, {}};
    parsing_ = std::make_unique<Parsing>();
    parsing_->parser.header_limit(static_cast<std::uint32_t>(limits_.max_header_bytes));
    parsing_->parser.body_limit(limits_.max_body_bytes);
    parsing_->parser.on_chunk_header(parsing_->check_chunk);
  }
  auto& parser = parsing_->parser;
  for (;;) {
    const std::string_view rest = bytes.substr(consumed);
    // Not eager: the head is checked before the body is read.
    if (!parser.is_done()) {
      const bool may_be_last = parsing_->has_head && parser.chunked() && rest.starts_with('0');
      if (rest.size() < (may_be_last ? kLastChunk : 1)) return {RequestProgress::Kind::kNeedMore, consumed, 0, {}};
      boost::system::error_code error;
      parser.eager(parsing_->has_head);
      const std::size_t taken = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
      consumed += taken;
      if (error == http::error::need_more) {
        if (parsing_->has_head && rest.size() - taken > kMaxChunkHeader) return Refuse(400, "malformed chunk");
        return {RequestProgress::Kind::kNeedMore, consumed, 0, {}};
      }
      if (error) return Refuse(error);
    }
    if (!parsing_->has_head && parser.is_header_done()) {
      parsing_->has_head = true;
      RequestProgress refused = AcceptHead();
      if (refused.kind == RequestProgress::Kind::kRefused) return refused;
      const std::string* expect = parsing_->request.FindHeader("Expect");
      parsing_->awaits_continue =
          expect && parsing_->request.minor_version == 1 && !parser.is_done() && consumed == bytes.size();
    }
    if (parser.is_done()) {
      parsing_->request.body = std::move(parser.get().body());
      return {RequestProgress::Kind::kComplete, consumed, 0, {}};
    }
  }
}

RequestProgress RequestReader::AcceptHead() {
  const auto& message = parsing_->parser.get();
  HttpRequest& request = parsing_->request;
  if (message.target().size() > limits_.max_target_bytes) return Refuse(414, "the request target is too long");
  request.method = String(message.method_string());
  request.target = String(message.target());
  const std::string_view target = OriginForm(request.target);
  const auto question = target.find('?');
  request.path = question == 0 ? "/" : std::string(target.substr(0, question));
  if (question != std::string_view::npos) request.query = std::string(target.substr(question + 1));
  request.minor_version = message.version() >= 11 ? 1 : 0;
  std::size_t hosts = 0;
  std::size_t codings = 0;
  bool chunked = false;
  for (const auto& field : message) {
    if (field.name() == http::field::host) ++hosts;
    if (field.name() == http::field::transfer_encoding) {
      ++codings;
      chunked = internal::EqualsIgnoringCase({field.value().data(), field.value().size()}, "chunked");
    }
    request.headers.push_back({String(field.name_string()), String(field.value())});
  }
  if (request.path.empty() || (request.path.front() != '/' && request.path != "*")) {
    return Refuse(400, "the request target is not a path");
  }
  if (hosts > 1 || (hosts == 0 && request.minor_version == 1)) return Refuse(400, "exactly one Host header is needed");
  // Request smuggling: a proxy may find the end of such a body elsewhere.
  if (codings > 1 || (codings == 1 && request.minor_version == 0)) return Refuse(400, "malformed HTTP request");
  if (codings == 1 && !chunked) return Refuse(501, "unsupported transfer encoding: only chunked");
  const std::string* expect = request.FindHeader("Expect");
  if (expect && !internal::EqualsIgnoringCase(*expect, "100-continue"))
    return Refuse(417, "unsupported Expect header: only 100-continue");
  return {};
}

HttpRequest RequestReader::Take() {
  HttpRequest request = std::move(parsing_->request);
  parsing_.reset();
  return request;
}

}  // namespace kinformer::apiserver
