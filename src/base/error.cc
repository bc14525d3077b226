#include <kinformer/base/error.h>

namespace kinformer {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnknown:
      return "unknown";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDeadlineExceeded:
      return "deadline exceeded";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidConfig:
      return "invalid configuration";
    case ErrorCode::kMalformed:
      return "malformed data";
    case ErrorCode::kUnreachable:
      return "unreachable";
    case ErrorCode::kDisconnected:
      return "disconnected";
    case ErrorCode::kTls:
      return "TLS";
    case ErrorCode::kServer:
      return "server";
    case ErrorCode::kTooLarge:
      return "too large";
    case ErrorCode::kFailedPrecondition:
      return "failed precondition";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::string ToString(const Error& error) {
  std::string text = error.message.empty() ? std::string(ToString(error.code)) : error.message;
  if (error.http_status != 0) {
    text += " (HTTP " + std::to_string(error.http_status);
    if (!error.reason.empty()) text += " " + error.reason;
    text += ")";
  } else if (!error.message.empty() && error.code != ErrorCode::kUnknown) {
    text += " (" + std::string(ToString(error.code)) + ")";
  }
  return text;
}

Error Annotate(Error error, std::string_view context) {
  error.message = std::string(context) + ": " +
                  (error.message.empty() ? std::string(ToString(error.code)) : std::move(error.message));
  return error;
}

}  // namespace kinformer
