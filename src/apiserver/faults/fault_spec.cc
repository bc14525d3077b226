// The text form of a fault: verb:resource[:nth=N][:after=K][:times=T]=fault[,argument...].

#include <charconv>
#include <limits>
#include <utility>

#include "src/apiserver/faults/fault_table.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxSpecBytes = 1024;

Error Invalid(std::string_view spec, const std::string& why) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "fault \"" + std::string(spec) + "\": " + why +
                     " (verb:resource[:nth=N][:after=K][:times=T]=fault[,argument...])"};
}

std::optional<std::int64_t> ReadNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// "5" or "5s", "200ms", "2m", "1h".
std::optional<milliseconds> ReadTime(std::string_view text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  const std::optional<std::int64_t> count = ReadNumber(text.substr(0, unit));
  const std::string_view name = unit == std::string_view::npos ? "s" : text.substr(unit);
  // Prevents overflow in any unit.
  if (!count || *count > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  if (name == "ms") return milliseconds(*count);
  if (name == "s") return std::chrono::seconds(*count);
  if (name == "m") return std::chrono::minutes(*count);
  if (name == "h") return std::chrono::hours(*count);
  return std::nullopt;
}

std::string TimeText(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + "s" : std::to_string(time.count()) + "ms";
}

/// Removes and returns the text up to the first separator; also removes the separator.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return taken;
}

/// Returns what is wrong; empty if nothing.
std::string ReadCondition(std::string_view part, Fault& fault) {
  const std::string_view name = Take(part, '=');
  std::uint64_t* const where = name == "nth"     ? &fault.nth
                               : name == "after" ? &fault.after
                               : name == "times" ? &fault.times
                                                 : nullptr;
  if (where == nullptr) return "\"" + std::string(name) + "\" is none of nth, after and times";
  const std::optional<std::int64_t> value = ReadNumber(part);
  if (!value) return std::string(name) + "= wants a number, not \"" + std::string(part) + "\"";
  *where = static_cast<std::uint64_t>(*value);
  return {};
}

std::string ReadArguments(std::string_view text, Fault& fault) {
  const apiserver::FaultEntry& entry = apiserver::EntryOf(fault.kind);
  const std::string usage =
      std::string(entry.description.name) + (entry.description.arguments.empty()
                                                 ? " takes no argument"
                                                 : " takes " + std::string(entry.description.arguments));
  bool number_next = entry.arguments.number;
  bool time_next = entry.arguments.duration;
  while (!text.empty()) {
    const std::string_view argument = Take(text, ',');
    if (std::exchange(number_next, false)) {
      fault.number = ReadNumber(argument);
      if (!fault.number) return usage + ", and \"" + std::string(argument) + "\" is not a number";
    } else if (std::exchange(time_next, false)) {
      fault.duration = ReadTime(argument);
      if (!fault.duration)
        return usage + ", and \"" + std::string(argument) + "\" is not a duration (5, 5s, 200ms, 2m)";
    } else {
      return usage + "; \"" + std::string(argument) + "\" is too much";
    }
  }
  return {};
}

}  // namespace

Result<Fault> ParseFault(std::string_view spec) {
  if (spec.size() > kMaxSpecBytes) return Invalid(spec.substr(0, 40), "longer than 1024 bytes");
  Fault fault;
  std::string_view rest = spec;
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return Invalid(spec, "there is no ':' between verb and resource");
  fault.verb = Take(rest, ':');
  const std::size_t end = rest.find_first_of(":=");
  if (end == std::string_view::npos) return Invalid(spec, "there is no \"=fault\"");
  fault.resource = rest.substr(0, end);
  rest.remove_prefix(end);
  while (rest.starts_with(':')) {
    rest.remove_prefix(1);
    // "nth=2" ends at the next ':', or at the '=' before the fault.
    const std::size_t equals = rest.find('=');
    const std::size_t stop = equals == std::string_view::npos ? equals : rest.find_first_of(":=", equals + 1);
    if (stop == std::string_view::npos) return Invalid(spec, "there is no \"=fault\"");
    if (const std::string wrong = ReadCondition(rest.substr(0, stop), fault); !wrong.empty()) {
      return Invalid(spec, wrong);
    }
    rest.remove_prefix(stop);
  }
  rest.remove_prefix(1);
  const std::string_view name = Take(rest, ',');
  if (name == "goaway") {
    return Invalid(spec,
                   "goaway is of HTTP/2, and this server speaks HTTP/1.1: put nghttpx before it, and restart that");
  }
  const apiserver::FaultEntry* const entry = apiserver::FindEntry(name);
  if (entry == nullptr) {
    return Invalid(spec, "there is no fault \"" + std::string(name) + "\"; there are " + apiserver::FaultNames());
  }
  fault.kind = entry->description.kind;
  if (const std::string wrong = ReadArguments(rest, fault); !wrong.empty()) return Invalid(spec, wrong);
  if (const Result<void> valid = apiserver::Validate(fault); !valid) return Invalid(spec, valid.error().message);
  return fault;
}

std::string ToString(const Fault& fault) {
  std::string text = fault.verb + ":" + fault.resource;
  if (fault.nth != 0) text += ":nth=" + std::to_string(fault.nth);
  if (fault.after != 0) text += ":after=" + std::to_string(fault.after);
  if (fault.times != 0) text += ":times=" + std::to_string(fault.times);
  text += "=" + std::string(apiserver::EntryOf(fault.kind).description.name);
  // Arguments are positional: a number must precede the time.
  if (fault.number || (fault.duration && apiserver::EntryOf(fault.kind).arguments.number)) {
    text += "," + std::to_string(apiserver::NumberOf(fault));
  }
  if (fault.duration) text += "," + TimeText(*fault.duration);
  return text;
}

}  // namespace kinformer
