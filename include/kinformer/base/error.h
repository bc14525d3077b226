#ifndef KINFORMER_BASE_ERROR_H_
#define KINFORMER_BASE_ERROR_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer {

/// The category of an error, whatever its source.
enum class ErrorCode {
  kUnknown,
  kCancelled,           ///< The caller's stop_token was triggered, or the handle was destroyed.
  kDeadlineExceeded,    ///< A local time limit expired.
  kInvalidArgument,     ///< The caller passed an argument that can never be valid.
  kInvalidConfig,       ///< A configuration file or credential is wrong; the message names file, entry and field.
  kMalformed,           ///< Data does not follow its format or the protocol; the message says where.
  kUnreachable,         ///< No connection: DNS failure, connection refused, no route, proxy failure.
  kDisconnected,        ///< An established connection broke before the response was complete.
  kTls,                 ///< The TLS handshake failed or the peer could not be verified.
  kServer,              ///< The server returned an error; see http_status and reason.
  kTooLarge,            ///< A local size limit was exceeded.
  kFailedPrecondition,  ///< The object or component is not in a state that allows the call.
  kInternal,            ///< A user callback threw, or an internal invariant is broken.
};

std::string_view ToString(ErrorCode code);

/// One of the causes in a Kubernetes Status, for example a field that failed validation.
struct ErrorCause {
  std::string reason{};
  std::string message{};
  std::string field{};

  bool operator==(const ErrorCause&) const = default;
};

/// The `details` of a Kubernetes Status; empty for errors that did not come from a server.
struct ErrorDetails {
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<ErrorCause> causes{};

  bool operator==(const ErrorDetails&) const = default;
};

/// Why a call failed. A value: copy it, keep it, compare it. It never contains secrets.
struct Error {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message{};
  /// The HTTP status if a server responded, else 0.
  int http_status = 0;
  /// The Kubernetes reason ("NotFound", "Conflict", "Expired", ...) if the server gave one, else empty.
  std::string reason{};
  /// How long the server asked the client to wait before retrying.
  std::optional<std::chrono::seconds> retry_after{};
  ErrorDetails details{};

  bool operator==(const Error&) const = default;
};

/// One human-readable line: the message, with code, status and reason where they add information.
std::string ToString(const Error& error);

/// Prepends `context` and ": " to the message.
Error Annotate(Error error, std::string_view context);

}  // namespace kinformer

#endif  // KINFORMER_BASE_ERROR_H_
