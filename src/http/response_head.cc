#include "src/http/response_head.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "src/base/text.h"

namespace kinformer::apiserver {

namespace {

bool IsTheServersOwn(std::string_view name) {
  return internal::EqualsIgnoringCase(name, "Content-Length") ||
         internal::EqualsIgnoringCase(name, "Transfer-Encoding") || internal::EqualsIgnoringCase(name, "Connection") ||
         internal::EqualsIgnoringCase(name, "Date");
}

// Prevents header injection and response splitting.
void AppendClean(std::string& out, std::string_view text) {
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
}

void AppendHeader(std::string& out, std::string_view name, std::string_view value) {
  AppendClean(out, name);
  out += ": ";
  AppendClean(out, value);
  out += "\r\n";
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 414:
      return "Request URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Entity";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string HttpDate(std::chrono::system_clock::time_point time) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr) return {};
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                 kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                                 kMonths.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900, utc.tm_hour,
                                 utc.tm_min, utc.tm_sec);
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::string EncodeResponseHead(const ResponseHead& head, const std::vector<HttpHeader>& headers) {
  std::string out;
  out.reserve(256);
  out += "HTTP/1.1 ";
  out += std::to_string(head.status);
  out += ' ';
  out += ReasonPhrase(head.status);
  out += "\r\n";
  for (const HttpHeader& header : headers) {
    if (!IsTheServersOwn(header.name)) AppendHeader(out, header.name, header.value);
  }
  AppendHeader(out, "Date", HttpDate(std::chrono::system_clock::now()));
  if (head.framing == BodyFraming::kLength) AppendHeader(out, "Content-Length", std::to_string(head.content_length));
  if (head.framing == BodyFraming::kChunked) AppendHeader(out, "Transfer-Encoding", "chunked");
  if (head.status == 101) {
    AppendHeader(out, "Connection", "Upgrade");
  } else if (!head.keep_alive) {
    AppendHeader(out, "Connection", "close");
  } else if (head.minor_version == 0) {
    AppendHeader(out, "Connection", "keep-alive");
  }
  out += "\r\n";
  return out;
}

bool AsksToClose(const std::vector<HttpHeader>& headers) {
  for (const HttpHeader& header : headers) {
    if (internal::EqualsIgnoringCase(header.name, "Connection") && internal::EqualsIgnoringCase(header.value, "close"))
      return true;
  }
  return false;
}

}  // namespace kinformer::apiserver
