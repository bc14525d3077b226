#include "bench/kinformer_load/event_log.h"

#include <charconv>
#include <optional>
#include <utility>

namespace kinformer::bench {
namespace {

constexpr std::string_view kPrefix = "load-";
constexpr std::size_t kDigits = 7;

Error Wrong(std::string what, std::string_view line) {
  return {.code = ErrorCode::kMalformed, .message = what + ": " + std::string(line.substr(0, 300))};
}

/// The value of the first string member `key` at or after `at`.
std::optional<std::string_view> TextAfter(std::string_view line, std::size_t at, std::string_view key) {
  const std::size_t found = line.find(key, at);
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t begin = found + key.size();
  const std::size_t end = line.find('"', begin);
  if (end == std::string_view::npos) return std::nullopt;
  return line.substr(begin, end - begin);
}

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string CreatedName(std::size_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kPrefix) + digits;
}

Result<EventLog::Read> EventLog::ReadLine(std::string_view line) const {
  constexpr std::string_view kType = R"({"type":")";
  if (!line.starts_with(kType)) return Wrong("no event", line);
  const std::string_view type = line.substr(kType.size(), line.find('"', kType.size()) - kType.size());
  if (type == "ERROR") return Wrong("a watch failed", line);
  const std::size_t metadata = line.find(R"("metadata":{)");
  if (metadata == std::string_view::npos) return Wrong("an event without metadata", line);
  const auto name = TextAfter(line, metadata, R"("name":")");
  const auto version = TextAfter(line, metadata, R"("resourceVersion":")");
  if (!name || !version) return Wrong("an event without a name or a version", line);
  // An object of another client, such as a controller.
  if (!name->starts_with(kPrefix)) return Read{};
  if (type != "ADDED") return Wrong("created objects are never changed", line);
  const auto number = Number(name->substr(kPrefix.size()));
  if (!number || *number >= created_.size()) return Wrong("this was not created", line);
  return Read{Kind::kCreation, *number, *version};
}

Result<EventLog::Kind> EventLog::Check(std::string_view line, std::size_t place) {
  if (place < events_.size() && line == events_[place].line) return Kind::kCreation;
  auto read = ReadLine(line);
  if (!read) return std::move(read).error();
  if (read->kind == Kind::kOther) return Kind::kOther;
  if (place < events_.size()) {
    const Event& known = events_[place];
    if (read->number == known.number && read->version == known.version) return Kind::kCreation;
    return Wrong("others saw " + CreatedName(known.number) + " at version " + known.version + " instead of this", line);
  }
  if (created_[read->number]) return Wrong("this came before", line);
  const auto version = Number(read->version);
  if (!version || *version <= last_version_) return Wrong("versions go back", line);
  created_[read->number] = true;
  last_version_ = *version;
  events_.push_back({std::string(line), read->number, std::string(read->version)});
  return Kind::kCreation;
}

}  // namespace kinformer::bench
