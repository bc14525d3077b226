#ifndef KINFORMER_CLIENT_OPTIONS_H_
#define KINFORMER_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kinformer {

/// How the server treats unknown fields in a write.
enum class FieldValidation { kServerDefault, kIgnore, kWarn, kStrict };

struct GetOptions {
  /// Empty: the most recent version; "0": any version that the server has cached.
  std::string resource_version{};
  std::string subresource{};
  bool keep_managed_fields = false;
  /// Limit for the whole call, retries included; zero: only connection health is checked.
  std::chrono::milliseconds timeout{0};
};

struct ListProgress {
  std::size_t received = 0;
  /// The server's count of objects still to come. Unknown with selectors, and on the last page.
  std::optional<std::int64_t> remaining{};
};

struct ListOptions {
  std::string resource_version{};
  /// "", "Exact" or "NotOlderThan".
  std::string resource_version_match{};
  /// Objects per page; zero: no paging.
  std::int64_t limit = 500;
  /// Continue a list, with the token of an earlier page.
  std::string continue_token{};
  /// Limit per page; zero: only connection health is checked.
  std::chrono::milliseconds timeout{0};
  /// Called after each page, on the calling thread.
  std::function<void(const ListProgress&)> progress{};
};

struct WatchOptions {
  /// Send events after this version. Empty or "0": first an ADDED event for each existing object.
  std::string resource_version{};
  std::string resource_version_match{};
  bool allow_bookmarks = true;
  /// Streaming lists: true requests the existing objects, followed by a bookmark that marks their end.
  std::optional<bool> send_initial_events{};
  /// The server ends the watch after this time; zero: its default.
  std::chrono::seconds timeout{0};
  /// Idle timeout: the watch fails if no data arrives for this long; zero: only connection health is checked.
  std::chrono::milliseconds idle_timeout{0};
};

struct WriteOptions {
  std::string subresource{};
  /// The manager to record for the written fields; empty: the server derives one from the User-Agent.
  std::string field_manager{};
  /// Validate the write without storing it.
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kServerDefault;
  /// For objects that have no namespace; empty: the client's default namespace.
  std::string namespace_name{};
  bool keep_managed_fields = false;
  std::chrono::milliseconds timeout{0};
};

enum class PatchType { kJson, kMerge, kStrategicMerge };

struct ApplyOptions {
  /// Required: the manager to record for the applied fields.
  std::string field_manager{};
  /// Take over fields from other managers instead of failing with a conflict.
  bool force = false;
  std::string subresource{};
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kServerDefault;
  std::string namespace_name{};
  bool keep_managed_fields = false;
  std::chrono::milliseconds timeout{0};
};

/// What happens to the dependents of a deleted object.
enum class Propagation { kServerDefault, kOrphan, kBackground, kForeground };

struct DeleteOptions {
  /// Preconditions: delete only an object with this uid, or in this version. Empty: not checked.
  std::string uid{};
  std::string resource_version{};
  Propagation propagation = Propagation::kServerDefault;
  std::optional<std::chrono::seconds> grace_period{};
  bool dry_run = false;
  std::chrono::milliseconds timeout{0};
};

struct LogOptions {
  /// Empty: the pod's only container.
  std::string container{};
  bool follow = false;
  /// The log of the container's previous run.
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines{};
  std::optional<std::int64_t> limit_bytes{};
  std::optional<std::chrono::seconds> since{};
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_OPTIONS_H_
