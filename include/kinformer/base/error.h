#ifndef KINFORMER_BASE_ERROR_H_
#define KINFORMER_BASE_ERROR_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer {

/// What kind of thing went wrong, independent of who said so.
enum class ErrorCode {
  kUnknown,
  kCancelled,           ///< The caller's stop_token was triggered, or the handle was destroyed.
  kDeadlineExceeded,    ///< A time limit of ours ran out.
  kInvalidArgument,     ///< The caller passed something that can never work.
  kInvalidConfig,       ///< A configuration file or credential is wrong; the message names file, entry and field.
  kMalformed,           ///< Bytes from the other side do not follow the protocol; the message says where.
  kUnreachable,         ///< No connection: name not resolved, refused, no route, proxy failed.
  kDisconnected,        ///< An established connection broke before the answer was complete.
  kTls,                 ///< The TLS handshake failed or the peer could not be verified.
  kServer,              ///< The server answered with an error; http_status and reason say which.
  kTooLarge,            ///< A bound of ours was exceeded.
  kFailedPrecondition,  ///< The object or component is not in a state that allows the call.
  kInternal,            ///< A user's callback threw, or an invariant of ours is broken.
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
  /// The HTTP status where a server answered, else 0.
  int http_status = 0;
  /// The Kubernetes reason ("NotFound", "Conflict", "Expired", ...) where a server gave one.
  std::string reason{};
  /// How long the server asked us to wait.
  std::optional<std::chrono::seconds> retry_after{};
  ErrorDetails details{};

  bool operator==(const Error&) const = default;
};

/// One line for people: the message, with code, status and reason where they add something.
std::string ToString(const Error& error);

/// The same error with `context` and ": " in front of its message.
Error Annotate(Error error, std::string_view context);

}  // namespace kinformer

#endif  // KINFORMER_BASE_ERROR_H_
