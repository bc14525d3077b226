#ifndef KINFORMER_CLIENT_OPTIONS_H_
#define KINFORMER_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kinformer {

/// How the server treats fields that it does not know in what we write.
enum class FieldValidation { kServerDefault, kIgnore, kWarn, kStrict };

struct GetOptions {
  /// Empty: the newest; "0": whatever the server has at hand.
  std::string resource_version{};
  std::string subresource{};
  bool keep_managed_fields = false;
  /// The whole call, retries included; zero: no limit but the connection's health.
  std::chrono::milliseconds timeout{0};
};

struct ListProgress {
  std::size_t received = 0;
  /// What the server says is still to come. Unknown with selectors, and on the last page.
  std::optional<std::int64_t> remaining{};
};

struct ListOptions {
  /// Empty: all namespaces.
  std::string namespace_name{};
  std::string label_selector{};
  std::string field_selector{};
  std::string resource_version{};
  /// "", "Exact" or "NotOlderThan".
  std::string resource_version_match{};
  /// Objects a page; zero: all in one answer.
  std::int64_t limit = 500;
  /// Where to go on, from an earlier page.
  std::string continue_token{};
  bool keep_managed_fields = false;
  /// Each page; zero: no limit but the connection's health.
  std::chrono::milliseconds timeout{0};
  /// Called after each page, on the calling thread.
  std::function<void(const ListProgress&)> progress{};
};

struct WatchOptions {
  /// Empty: all namespaces.
  std::string namespace_name{};
  std::string label_selector{};
  std::string field_selector{};
  /// Events after this version. Empty or "0": first the objects that exist, as added.
  std::string resource_version{};
  std::string resource_version_match{};
  bool allow_bookmarks = true;
  /// Streaming lists: true asks for the objects that exist, then a bookmark that says so.
  std::optional<bool> send_initial_events{};
  /// After which the server ends the watch; zero: its own default.
  std::chrono::seconds timeout{0};
  /// No byte for this long ends the watch with an error; zero: no limit but the connection's health.
  std::chrono::milliseconds idle_timeout{0};
  bool keep_managed_fields = false;
};

struct WriteOptions {
  std::string subresource{};
  /// Who is said to own the fields written. Server-side apply needs one.
  std::string field_manager{};
  /// Everything is checked, nothing is stored.
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kServerDefault;
  /// For objects without a namespace of their own.
  std::string namespace_name{};
  bool keep_managed_fields = false;
  std::chrono::milliseconds timeout{0};
};

enum class PatchType { kJson, kMerge, kStrategicMerge };

struct ApplyOptions {
  /// Required: who owns the fields.
  std::string field_manager{};
  /// Takes fields over from other managers instead of failing with a conflict.
  bool force = false;
  std::string subresource{};
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kServerDefault;
  std::string namespace_name{};
  bool keep_managed_fields = false;
  std::chrono::milliseconds timeout{0};
};

/// What happens to the objects that the deleted one owns.
enum class Propagation { kServerDefault, kOrphan, kBackground, kForeground };

struct DeleteOptions {
  /// Delete only this very object, or this very version of it.
  std::string uid{};
  std::string resource_version{};
  Propagation propagation = Propagation::kServerDefault;
  std::optional<std::chrono::seconds> grace_period{};
  bool dry_run = false;
  std::chrono::milliseconds timeout{0};
};

struct LogOptions {
  /// Empty: the only one.
  std::string container{};
  bool follow = false;
  /// Of the container's run before this one.
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines{};
  std::optional<std::int64_t> limit_bytes{};
  std::optional<std::chrono::seconds> since{};
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_OPTIONS_H_
