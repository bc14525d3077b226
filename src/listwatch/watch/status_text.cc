#include "src/listwatch/watch/status_text.h"

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/utf8.h"
#include "src/codec/json_text.h"
#include "src/meta/status_reason.h"

namespace kinformer::apiserver {
namespace {

std::string_view ReasonOf(int http_status) {
  if (http_status == 410) return "Expired";
  // Like kube-apiserver: no default reason for 500.
  if (http_status == 500) return {};
  const std::string_view reason = internal::ReasonForHttpStatus(http_status);
  return reason;
}

/// A message may quote client input that is not UTF-8, which would make the JSON invalid. As in Go, each invalid byte
/// becomes a replacement character.
std::string Readable(std::string_view text) {
  std::string readable;
  while (!text.empty()) {
    const std::size_t length = internal::Utf8Length(text);
    readable.append(length > 0 ? text.substr(0, length) : "\uFFFD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return readable;
}

/// Writes the members of one JSON object, in call order.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  void Text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    Key(key);
    internal::AppendQuoted(Readable(value), out_);
  }
  void Number(std::string_view key, long long value) {
    Key(key);
    out_ += std::to_string(value);
  }
  void Key(std::string_view key) {
    if (std::exchange(any_, true)) out_ += ',';
    out_.append("\"").append(key).append("\":");
  }
  void End() { out_ += '}'; }

 private:
  std::string& out_;
  bool any_ = false;
};

void AppendCauses(const std::vector<ErrorCause>& causes, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i > 0) out += ',';
    Members cause(out);
    cause.Text("reason", causes[i].reason);
    cause.Text("message", causes[i].message);
    cause.Text("field", causes[i].field);
    cause.End();
  }
  out += ']';
}

bool HasDetails(const Error& error) {
  return error.details != ErrorDetails{} || error.retry_after || error.http_status == 404 || error.http_status == 405 ||
         error.http_status == 422;
}

}  // namespace

int HttpStatusOf(const Error& error) {
  if (error.http_status != 0) return error.http_status;
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kMalformed:
      return 400;
    case ErrorCode::kTooLarge:
      return 413;
    case ErrorCode::kCancelled:
    case ErrorCode::kDeadlineExceeded:
      return 504;
    case ErrorCode::kUnreachable:
    case ErrorCode::kDisconnected:
      return 503;
    default:
      return 500;
  }
}

std::string StatusText(const Error& error, std::string_view continue_token) {
  const int code = HttpStatusOf(error);
  std::string out;
  out.reserve(256 + error.message.size());
  Members status(out);
  status.Text("kind", "Status");
  status.Text("apiVersion", "v1");
  status.Key("metadata");
  Members metadata(out);
  metadata.Text("continue", continue_token);
  metadata.End();
  status.Text("status", "Failure");
  status.Text("message", error.message);
  status.Text("reason", error.reason.empty() ? ReasonOf(code) : std::string_view(error.reason));
  if (HasDetails(error)) {
    status.Key("details");
    Members details(out);
    details.Text("name", error.details.name);
    details.Text("group", error.details.group);
    details.Text("kind", error.details.kind);
    details.Text("uid", error.details.uid);
    if (!error.details.causes.empty()) {
      details.Key("causes");
      AppendCauses(error.details.causes, out);
    }
    if (error.retry_after) details.Number("retryAfterSeconds", error.retry_after->count());
    details.End();
  }
  status.Number("code", code);
  status.End();
  return out;
}

}  // namespace kinformer::apiserver
