#include "bench/replay_server/http_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace kinformer::bench {
namespace {

constexpr std::size_t kMaxRequestBytes = 64U << 10U;
constexpr std::size_t kSendAt = 256U << 10U;
constexpr std::string_view kEndOfHead = "\r\n\r\n";
/// A chunk head of fixed size, filled in when the chunk is complete.
constexpr std::string_view kChunkHead = "00000000\r\n";

std::string_view Reason(int code) {
  switch (code) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Not Acceptable";
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Removes and returns the text before the separator, and removes the separator; returns everything if there is none.
std::string_view Cut(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return head;
}

std::optional<HttpRequest> Parse(std::string_view head) {
  std::string_view line = Cut(head, "\r\n");
  HttpRequest request;
  request.method = Cut(line, " ");
  std::string_view target = Cut(line, " ");
  if (line != "HTTP/1.1" || !target.starts_with('/')) return std::nullopt;
  request.path = Unescape(Cut(target, "?"));
  while (!target.empty()) {
    std::string_view pair = Cut(target, "&");
    const std::string name = Unescape(Cut(pair, "="));
    request.query[name] = Unescape(pair);
  }
  while (!head.empty()) {
    std::string_view value = Cut(head, "\r\n");
    std::string name(Cut(value, ":"));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "accept") request.accept = value;
    // Request bodies are not supported: one would be parsed as the next request.
    if (name == "transfer-encoding" || (name == "content-length" && value != "0")) return std::nullopt;
  }
  return request;
}

}  // namespace

std::string HttpRequest::Query(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

HttpConnection::HttpConnection(int socket) : socket_(socket) { out_.reserve(kSendAt + (64U << 10U)); }

HttpConnection::~HttpConnection() { close(socket_); }

void HttpConnection::Shutdown() const { shutdown(socket_, SHUT_RDWR); }

std::optional<HttpRequest> HttpConnection::ReadRequest() {
  std::size_t end = 0;
  while ((end = in_.find(kEndOfHead)) == std::string::npos) {
    if (in_.size() > kMaxRequestBytes) return std::nullopt;
    char buffer[4096];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    in_.append(buffer, static_cast<std::size_t>(got));
  }
  const std::optional<HttpRequest> request = Parse(std::string_view(in_).substr(0, end + 2));
  in_.erase(0, end + kEndOfHead.size());
  return request;
}

bool HttpConnection::SendWhole(int code, std::string_view content_type, std::string_view body) {
  out_ += "HTTP/1.1 " + std::to_string(code) + " ";
  out_ += Reason(code);
  out_ += "\r\nContent-Type: ";
  out_ += content_type;
  out_ += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out_ += body;
  return Flush();
}

void HttpConnection::BeginBody(std::string_view content_type) {
  out_ += "HTTP/1.1 200 OK\r\nContent-Type: ";
  out_ += content_type;
  out_ += "\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string& HttpConnection::BeginChunk() {
  chunk_ = out_.size();
  out_ += kChunkHead;
  return out_;
}

bool HttpConnection::EndChunk() {
  std::size_t size = out_.size() - chunk_ - kChunkHead.size();
  if (size == 0) {
    out_.resize(chunk_);  // an empty chunk would end the body
    return true;
  }
  for (std::size_t digit = 8; digit > 0; --digit, size >>= 4U)
    out_[chunk_ + digit - 1] = "0123456789abcdef"[size & 15U];
  out_ += "\r\n";
  return out_.size() < kSendAt || Flush();
}

bool HttpConnection::Flush() {
  std::string_view rest = out_;
  while (!rest.empty()) {
    const ssize_t sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  out_.clear();
  return true;
}

bool HttpConnection::EndBody() {
  out_ += "0\r\n\r\n";
  return Flush();
}

}  // namespace kinformer::bench
