#include "src/listwatch/storage/etcd_wire.h"

#include <array>
#include <charconv>
#include <compare>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "src/base/base64.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver::etcd {
namespace {

using internal::FieldOf;
using internal::FlagOf;
using internal::TextOf;
using Json = nlohmann::json;

// gRPC status codes, as the gateway passes them on.
constexpr int kInvalidArgument = 3;
constexpr int kDeadlineExceeded = 4;
constexpr int kUnavailable = 14;

constexpr std::size_t kMaxMessageBytes = 300;

std::string Encoded(std::string_view bytes) { return internal::EncodeBase64(bytes); }

/// The first key after all keys with the prefix. Precondition: it ends in '/'.
std::string PrefixEnd(std::string prefix) {
  prefix.back() = '/' + 1;
  return prefix;
}

bool IsPrefix(std::string_view key) { return !key.empty() && key.back() == '/'; }

Error Malformed(std::string_view what) {
  return {.code = ErrorCode::kMalformed, .message = "invalid response from etcd: " + std::string(what)};
}

Result<Json> Parse(std::string_view body) {
  Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Malformed("not a JSON object");
  return json;
}

std::int64_t Number(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  std::int64_t number = 0;
  if (const auto* text = json.get_ptr<const std::string*>()) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number;
}

std::string_view Text(const Json& json) {
  const auto* text = json.get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

Revision HeaderRevision(const Json& json) { return Number(FieldOf(FieldOf(json, "header"), "revision")); }

Result<KeyValue> ReadKeyValue(const Json& json) {
  Result<std::string> key = internal::DecodeBase64(TextOf(json, "key"));
  if (!key || key->empty()) return Malformed("invalid key");
  Result<std::string> value = internal::DecodeBase64(TextOf(json, "value"));
  if (!value) return Malformed("invalid value");
  return KeyValue{.key = *std::move(key),
                  .value = MakeBytes(*value),
                  .create_revision = Number(FieldOf(json, "create_revision")),
                  .mod_revision = Number(FieldOf(json, "mod_revision"))};
}

Result<BackendEvent> ReadEvent(const Json& json, bool& lacks_before) {
  Result<KeyValue> now = ReadKeyValue(FieldOf(json, "kv"));
  if (!now) return std::move(now).error();
  BackendEvent event;
  event.now = *std::move(now);
  const bool created = event.now.create_revision == event.now.mod_revision;
  if (TextOf(json, "type") == "DELETE") {
    event.kind = BackendEvent::Kind::kDelete;
    event.now.value = nullptr;
    event.now.create_revision = 0;
  }
  if (const Json& before = FieldOf(json, "prev_kv"); before.is_object()) {
    Result<KeyValue> decoded = ReadKeyValue(before);
    if (!decoded) return std::move(decoded).error();
    event.before = *std::move(decoded);
  } else if (event.kind == BackendEvent::Kind::kDelete || !created) {
    lacks_before = true;
  }
  return event;
}

}  // namespace

std::string RangeBody(const RangeQuery& query) {
  Json json = {{"key", Encoded(std::max(query.start, query.prefix))}};
  if (IsPrefix(query.prefix)) {
    json["range_end"] = Encoded(PrefixEnd(query.prefix));
  } else if (!query.start.empty() && query.start > query.prefix) {
    // Start is after the only key: an empty range.
    json["range_end"] = json["key"];
  }
  if (query.limit != 0) json["limit"] = std::to_string(query.limit);
  if (query.revision != 0) json["revision"] = std::to_string(query.revision);
  return json.dump();
}

std::string RevisionBody() { return Json{{"key", Encoded("/")}, {"count_only", true}}.dump(); }

std::string WriteBody(const std::string& key, const Bytes& value, Revision replaces, std::int64_t lease) {
  const std::string encoded = Encoded(key);
  Json success;
  if (value == nullptr) {
    success["request_delete_range"] = {{"key", encoded}};
  } else {
    success["request_put"] = {{"key", encoded}, {"value", Encoded(*value)}};
    if (lease != 0) success["request_put"]["lease"] = std::to_string(lease);
  }
  const Json json = {
      {"compare",
       {{{"key", encoded}, {"target", "MOD"}, {"result", "EQUAL"}, {"mod_revision", std::to_string(replaces)}}}},
      {"success", Json::array({std::move(success)})},
      {"failure", Json::array({Json{{"request_range", {{"key", encoded}}}}})}};
  return json.dump();
}

std::string WatchBody(const std::string& key, Revision after) {
  Json create = {{"key", Encoded(key)},
                 {"start_revision", std::to_string(after + 1)},
                 {"prev_kv", true},
                 {"progress_notify", true}};
  if (IsPrefix(key)) create["range_end"] = Encoded(PrefixEnd(key));
  return Json{{"create_request", std::move(create)}}.dump();
}

std::string CompactBody(Revision revision) { return Json{{"revision", std::to_string(revision)}}.dump(); }
std::string GrantBody(std::chrono::seconds ttl) { return Json{{"TTL", std::to_string(ttl.count())}}.dump(); }
std::string RevokeBody(std::int64_t lease) { return Json{{"ID", std::to_string(lease)}}.dump(); }

Result<RangeResult> ReadRange(std::string_view body, Revision asked) {
  const Result<Json> json = Parse(body);
  if (!json) return json.error();
  RangeResult result;
  result.revision = asked != 0 ? asked : HeaderRevision(*json);
  result.count = Number(FieldOf(*json, "count"));
  if (result.revision == 0) return Malformed("a range without a revision");
  if (const Json& items = FieldOf(*json, "kvs"); items.is_array()) {
    result.items.reserve(items.size());
    for (const Json& item : items) {
      Result<KeyValue> decoded = ReadKeyValue(item);
      if (!decoded) return std::move(decoded).error();
      result.items.push_back(*std::move(decoded));
    }
  }
  if (result.items.empty() && result.count > 0) return Malformed("count > 0 but no keys");
  return result;
}

Result<Revision> ReadRevision(std::string_view body) {
  const Result<Json> json = Parse(body);
  if (!json) return json.error();
  const Revision revision = HeaderRevision(*json);
  if (revision == 0) return Malformed("no revision");
  return revision;
}

Result<WriteOutcome> ReadWrite(std::string_view body, const std::string& key) {
  const Result<Json> json = Parse(body);
  if (!json) return json.error();
  const Revision revision = HeaderRevision(*json);
  if (revision == 0) return Malformed("a write without a revision");
  if (FlagOf(*json, "succeeded")) return WriteOutcome{.revision = revision};
  const Json& responses = FieldOf(*json, "responses");
  if (!responses.is_array() || responses.size() != 1) return Malformed("failed transaction without the current value");
  const Json& items = FieldOf(FieldOf(responses[0], "response_range"), "kvs");
  if (!items.is_array() || items.empty()) return WriteOutcome{.revision = 0, .current = KeyValue{.key = key}};
  Result<KeyValue> current = ReadKeyValue(items[0]);
  if (!current) return std::move(current).error();
  return WriteOutcome{.revision = 0, .current = *std::move(current)};
}

Result<std::int64_t> ReadLease(std::string_view body) {
  const Result<Json> json = Parse(body);
  if (!json) return json.error();
  const std::int64_t lease = Number(FieldOf(*json, "ID"));
  if (lease == 0) return Malformed("a lease without an ID");
  return lease;
}

Result<std::string> ReadVersion(std::string_view body) {
  const Result<Json> json = Parse(body);
  if (!json) return json.error();
  return std::string(TextOf(*json, "version"));
}

Result<WatchFrame> ReadWatchFrame(std::string_view line) {
  const Result<Json> json = Parse(line);
  if (!json) return json.error();
  WatchFrame frame;
  if (const Json& error = FieldOf(*json, "error"); !error.is_null()) {
    frame.canceled = true;
    frame.why = Text(error.is_object() ? FieldOf(error, "message") : error).substr(0, kMaxMessageBytes);
    return frame;
  }
  const Json& result = FieldOf(*json, "result");
  if (!result.is_object()) return Malformed("a line of a watch without a result");
  frame.created = FlagOf(result, "created");
  frame.canceled = FlagOf(result, "canceled");
  frame.compact_revision = Number(FieldOf(result, "compact_revision"));
  frame.why = TextOf(result, "cancel_reason").substr(0, kMaxMessageBytes);
  frame.events.revision = HeaderRevision(result);
  if (const Json& events = FieldOf(result, "events"); events.is_array()) {
    frame.events.events.reserve(events.size());
    for (const Json& event : events) {
      Result<BackendEvent> decoded = ReadEvent(event, frame.lacks_before);
      if (!decoded) return std::move(decoded).error();
      frame.events.events.push_back(*std::move(decoded));
    }
  }
  return frame;
}

ErrorResponse ReadErrorResponse(int http_status, std::string_view body, Revision asked, Revision seen) {
  const Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  const auto code = static_cast<int>(Number(FieldOf(json, "code")));
  std::string message(TextOf(json, "message").substr(0, kMaxMessageBytes));
  if (message.empty()) message = std::string(TextOf(json, "error").substr(0, kMaxMessageBytes));
  const auto says = [&](std::string_view words) { return message.find(words) != std::string::npos; };
  // Both have the same code; only the message differs.
  if (says("required revision has been compacted")) {
    return {.error = ExpiredError("The resourceVersion for the provided list is too old.")};
  }
  if (says("required revision is a future revision")) return {.error = TooLargeResourceVersionError(asked, seen)};
  if (code == kInvalidArgument && says("request is too large")) {
    return {.error = {.code = ErrorCode::kTooLarge, .message = "the object exceeds etcd's request size limit"}};
  }
  const std::string text = "etcd answers " + std::to_string(http_status) + (message.empty() ? "" : ": " + message);
  if (says("etcdserver: no leader")) {
    return {.kind = ErrorResponse::Kind::kNotHere, .error = {.code = ErrorCode::kUnreachable, .message = text}};
  }
  const bool broke = code == kUnavailable || code == kDeadlineExceeded || says("request timed out") ||
                     says("leader changed") || (code == 0 && http_status >= 500);
  if (broke) {
    return {.kind = ErrorResponse::Kind::kUncertain, .error = {.code = ErrorCode::kDisconnected, .message = text}};
  }
  return {.error = InternalServerError(text)};
}

bool ProgressIsReliableIn(std::string_view version) {
  std::array<int, 3> parts{};
  for (int& part : parts) {
    const auto [stop, ec] = std::from_chars(version.data(), version.data() + version.size(), part);
    if (ec != std::errc()) return false;
    version.remove_prefix(static_cast<std::size_t>(stop - version.data()));
    if (!version.empty() && version.front() == '.') version.remove_prefix(1);
  }
  // A pre-release of the first fixed version does not count.
  const bool released = version.empty() || version.front() == '+';
  if (parts[0] == 3 && parts[1] == 4) return parts[2] > 31 || (parts[2] == 31 && released);
  if (parts[0] == 3 && parts[1] == 5) return parts[2] > 13 || (parts[2] == 13 && released);
  return parts[0] > 3 || (parts[0] == 3 && parts[1] > 5);
}

}  // namespace kinformer::apiserver::etcd
