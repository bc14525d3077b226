#include "src/apiserver/faults/stream_script.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/apiserver/faults/fault_errors.h"
#include "src/apiserver/faults/fault_table.h"
#include "src/listwatch/watch/status_text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
constexpr std::string_view kObject = "\"object\":";

std::string Flat(const EventLine& line) {
  std::string text;
  for (const Buffer& part : line) text += part.bytes;
  return text;
}

/// The object's text in a line.
std::string_view ObjectIn(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const std::size_t at = line.find(kObject);
  if (at == std::string_view::npos) return "{}";
  line.remove_prefix(at + kObject.size());
  line.remove_suffix(1);
  return line;
}

std::string EventText(std::string_view type, std::string_view object) {
  return "{\"type\":\"" + std::string(type) + "\"," + std::string(kObject) + std::string(object) + "}";
}

/// The object with an extra field.
std::string WithField(std::string_view object, const std::string& value) {
  if (!object.starts_with('{')) return std::string(object);
  object.remove_prefix(1);
  return "{\"kinformerFault\":" + value + (object.starts_with('}') ? "" : ",") + std::string(object);
}

std::string BookmarkText(const GroupVersionKind& gvk, std::string_view version) {
  const std::string api_version = gvk.group.empty() ? gvk.version : gvk.group + "/" + gvk.version;
  return EventText("BOOKMARK", "{\"kind\":\"" + gvk.kind + "\",\"apiVersion\":\"" + api_version +
                                   "\",\"metadata\":{\"resourceVersion\":\"" + std::string(version) +
                                   "\",\"creationTimestamp\":null}}");
}

/// Faults that apply to the next event, rather than between events.
bool IsOfAnEvent(FaultKind kind) {
  switch (kind) {
    case FaultKind::kReset:
    case FaultKind::kUnknownEventType:
    case FaultKind::kDuplicate:
    case FaultKind::kReorder:
    case FaultKind::kDrop:
    case FaultKind::kHugeEvent:
    case FaultKind::kDeepEvent:
    case FaultKind::kInvalidUtf8:
    case FaultKind::kReplaceUid:
      return true;
    default:
      return false;
  }
}

bool IsOfTheInitialEnd(FaultKind kind) {
  return kind == FaultKind::kNoInitialEnd || kind == FaultKind::kLateInitialEnd;
}

std::string Nested(std::int64_t depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

}  // namespace

StreamScript::StreamScript(const RequestInfo& request, bool newline, Strike strike)
    : request_(request), newline_(newline), strike_(std::move(strike)) {}

void StreamScript::Join(const std::vector<JoinedFault>& faults) {
  for (const JoinedFault& fault : faults) active_.push_back({.joined = fault});
}

std::vector<StreamStep> StreamScript::OnTurn(TimePoint now) {
  steps_.clear();
  for (Late& late : late_) {
    if (late.when <= now && !Over()) Emit(now, std::move(late.line));
  }
  std::erase_if(late_, [&](const Late& late) { return late.when <= now; });
  if (pause_until_ && *pause_until_ <= now) pause_until_.reset();
  StrikeBetween(now);
  if (gathered_count_ > 0 && gathered_until_ <= now) Flush();
  return std::exchange(steps_, {});
}

std::vector<StreamStep> StreamScript::OnEvent(TimePoint now, const WatchEvent& event, const EventLine& line) {
  steps_.clear();
  if (event.object != nullptr && gvk_.kind.empty()) gvk_ = event.object->Gvk();
  switch (event.type) {
    case WatchEventType::kError:
      Emit(now, line);
      Flush();
      break;
    case WatchEventType::kBookmark:
      if (!event.object->Annotations().Contains(kInitialEventsEnd) || StrikeInitialEnd(now, line)) Emit(now, line);
      break;
    default:
      StrikeObject(now, event, line);
      for (Active& active : active_) ++active.seen;
      break;
  }
  StrikeBetween(now);
  return std::exchange(steps_, {});
}

std::optional<TimePoint> StreamScript::NextTime() const {
  std::optional<TimePoint> next = pause_until_;
  const auto take = [&](TimePoint when) {
    if (!next || when < *next) next = when;
  };
  for (const Late& late : late_) take(late.when);
  if (gathered_count_ > 0) take(gathered_until_);
  return next;
}

bool StreamScript::Begins(Active& active) {
  active.done = true;
  return strike_(active.joined.id);
}

void StreamScript::StrikeBetween(TimePoint now) {
  for (Active& active : active_) {
    const Fault& fault = active.joined.fault;
    if (Over()) return;
    if (!active.Due() || IsOfAnEvent(fault.kind) || IsOfTheInitialEnd(fault.kind)) continue;
    // A bookmark needs a kind, which is known after the first event. A frame holds exactly one event.
    if (fault.kind == FaultKind::kOldBookmark && gvk_.kind.empty()) continue;
    if (fault.kind == FaultKind::kCoalesce && !newline_) continue;
    if (!Begins(active)) continue;
    switch (fault.kind) {
      case FaultKind::kClose:
      case FaultKind::kCloseEarly:
        Last(StreamStep::Kind::kEnd);
        break;
      case FaultKind::kStall:
        Last(StreamStep::Kind::kStall);
        break;
      case FaultKind::kErrorEvent:
      case FaultKind::kExpiredEvent:
      case FaultKind::kTooLargeEvent:
      case FaultKind::kThrottleEvent:
        EmitError(now, StatusText(ErrorOf(fault, request_)));
        break;
      case FaultKind::kBadErrorObject:
        EmitError(now, R"({"kind":"Surprise","apiVersion":"v1","metadata":{},"spec":[1,2,3]})");
        break;
      case FaultKind::kByteByByte:
        Flush();
        steps_.push_back({.kind = StreamStep::Kind::kByteByByte});
        break;
      case FaultKind::kCoalesce:
        coalesce_ = static_cast<std::size_t>(NumberOf(fault));
        coalesce_time_ = DurationOf(fault);
        break;
      case FaultKind::kSlowWatcher:
        pause_until_ = now + DurationOf(fault);
        break;
      case FaultKind::kWrongBookmarkKind:
        EmitText(now, BookmarkText({"", "v1", "Surprise"}, "999999999"));
        break;
      case FaultKind::kOldBookmark:
        EmitText(now, BookmarkText(gvk_, "1"));
        break;
      default:
        Flush();
        steps_.push_back({.kind = StreamStep::Kind::kServer, .fault = active.joined});
        break;
    }
  }
}

bool StreamScript::StrikeInitialEnd(TimePoint now, const EventLine& line) {
  for (Active& active : active_) {
    const Fault& fault = active.joined.fault;
    if (!active.Due() || !IsOfTheInitialEnd(fault.kind) || !Begins(active)) continue;
    if (fault.kind == FaultKind::kLateInitialEnd) late_.push_back({now + DurationOf(fault), line});
    return false;
  }
  return true;
}

void StreamScript::StrikeObject(TimePoint now, const WatchEvent& event, EventLine line) {
  const std::string key = ToString(event.object->Key());
  if (event.type == WatchEventType::kAdded && !deleted_.empty() && key == deleted_) {
    deleted_.clear();
    line.clear();
    line.emplace_back(EventText("MODIFIED", event.object->Json()) + (newline_ ? "\n" : ""));
  }
  int copies = 1;
  bool hold = false;
  const std::string text = Flat(line);
  const auto replace = [&](const std::string& value) {
    line.clear();
    line.emplace_back(EventText(ToString(event.type), WithField(ObjectIn(text), value)) + (newline_ ? "\n" : ""));
  };
  for (Active& active : active_) {
    const Fault& fault = active.joined.fault;
    if (!active.Due() || !IsOfAnEvent(fault.kind)) continue;
    if (fault.kind == FaultKind::kReplaceUid && event.type != WatchEventType::kDeleted) continue;
    if (fault.kind == FaultKind::kReorder && (held_ || hold)) continue;
    if (!Begins(active)) continue;
    switch (fault.kind) {
      case FaultKind::kReset: {
        EventLine half;
        half.emplace_back(text.substr(0, text.size() / 2));
        Emit(now, std::move(half));
        return Last(StreamStep::Kind::kReset);
      }
      case FaultKind::kUnknownEventType:
        EmitText(now, EventText("SURPRISE", ObjectIn(text)));
        break;
      case FaultKind::kDuplicate:
        copies *= 2;
        break;
      case FaultKind::kReorder:
        hold = true;
        break;
      case FaultKind::kDrop:
        copies = 0;
        break;
      case FaultKind::kHugeEvent:
        replace("\"" + std::string(static_cast<std::size_t>(NumberOf(fault)), 'x') + "\"");
        break;
      case FaultKind::kDeepEvent:
        replace(Nested(NumberOf(fault)));
        break;
      case FaultKind::kInvalidUtf8:
        replace("\"\xc3\x28\xff\"");
        break;
      default:  // kReplaceUid
        deleted_ = key;
        copies = 0;
        break;
    }
  }
  if (hold) {
    held_ = std::move(line);
    return;
  }
  for (int i = 0; i < copies; ++i) Emit(now, line);
  if (held_ && copies > 0) Emit(now, *std::exchange(held_, std::nullopt));
}

void StreamScript::Emit(TimePoint now, EventLine line) {
  if (coalesce_ == 0) {
    steps_.push_back({.kind = StreamStep::Kind::kWrite, .bytes = std::move(line)});
    return;
  }
  if (gathered_count_++ == 0) gathered_until_ = now + coalesce_time_;
  gathered_.insert(gathered_.end(), std::make_move_iterator(line.begin()), std::make_move_iterator(line.end()));
  if (gathered_count_ >= coalesce_) Flush();
}

void StreamScript::EmitText(TimePoint now, std::string text) {
  if (newline_) text += '\n';
  EventLine line;
  line.emplace_back(std::move(text));
  Emit(now, std::move(line));
}

void StreamScript::EmitError(TimePoint now, std::string_view object) {
  EmitText(now, EventText("ERROR", object));
  Last(StreamStep::Kind::kEnd);
}

void StreamScript::Flush() {
  if (gathered_count_ == 0) return;
  gathered_count_ = 0;
  steps_.push_back({.kind = StreamStep::Kind::kWrite, .bytes = std::exchange(gathered_, {})});
}

void StreamScript::Last(StreamStep::Kind kind) {
  Flush();
  steps_.push_back({.kind = kind});
  over_ = true;
}

}  // namespace kinformer::apiserver
