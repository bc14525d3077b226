#include "src/codec/watch_event_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "src/codec/json_explain.h"
#include "src/codec/json_text.h"
#include "src/codec/json_walker.h"
#include "src/codec/object_builder.h"
#include "src/codec/status_reader.h"

namespace kinformer {

std::string_view ToString(WatchEventType type) {
  switch (type) {
    case WatchEventType::kAdded:
      return "ADDED";
    case WatchEventType::kModified:
      return "MODIFIED";
    case WatchEventType::kDeleted:
      return "DELETED";
    case WatchEventType::kBookmark:
      return "BOOKMARK";
    case WatchEventType::kError:
      return "ERROR";
  }
  return "UNKNOWN";
}

namespace internal {
namespace {

constexpr std::size_t kMaxEventSnippet = 256;

std::optional<WatchEventType> TypeFromString(std::string_view text) {
  for (const WatchEventType type : {WatchEventType::kAdded, WatchEventType::kModified, WatchEventType::kDeleted,
                                    WatchEventType::kBookmark, WatchEventType::kError}) {
    if (ToString(type) == text) return type;
  }
  return std::nullopt;
}

/// The envelope, and the object if it was read in the same pass.
struct Envelope {
  std::optional<std::string> type;
  std::optional<Span> object;
  ObjectPtr built;
};

/// After false, `error` says what is wrong; it is empty if the text is not valid JSON.
bool ReadEnvelope(std::string_view frame, JsonWalker& walker, const ObjectOptions& options, Envelope& envelope,
                  std::optional<Error>& error) {
  if (!walker.Begin()) return false;
  if (walker.Peek() != '{') {
    Span ignored;
    if (walker.Value(0, ignored)) error = MalformedAt({ignored.begin, {}, "expected a JSON object"});
    return false;
  }
  walker.Take('{');
  for (bool more = !walker.Take('}'); more;) {
    Span key;
    if (!walker.String(key) || !walker.Take(':')) return false;
    const std::string_view name = key.In(frame);
    Span value;
    if (KeyEquals(name, "type") && walker.Peek() == '"') {
      Span inside;
      if (!walker.String(inside)) return false;
      envelope.type = Unescape(inside.In(frame));
    } else if (KeyEquals(name, "object") && walker.Peek() == '{' && envelope.type && *envelope.type != "ERROR") {
      ObjectBuilder builder(frame, walker, options);
      if (!builder.Read()) {
        error = builder.error();
        return false;
      }
      envelope.object = builder.span();
      envelope.built = builder.Build();
    } else {
      if (!walker.Value(1, value)) return false;
      if (KeyEquals(name, "object")) {
        envelope.object = value;
        envelope.built = nullptr;
      }
    }
    more = walker.Take(',');
    if (!more && !walker.Take('}')) return false;
  }
  return walker.AtEnd();
}

Error Malformed(std::string what) {
  Error error;
  error.code = ErrorCode::kMalformed;
  error.message = "watch event " + std::move(what);
  return error;
}

}  // namespace

Result<WatchEvent> ReadWatchEvent(std::string_view frame, const ObjectOptions& options) {
  Envelope envelope;
  std::optional<Error> error;
  bool read = false;
  {
    // In its own scope: the code below needs the buffers of this thread's walker again.
    JsonWalker walker(frame);
    read = ReadEnvelope(frame, walker, options, envelope, error);
  }
  if (!read) return Annotate(error ? *std::move(error) : MalformedJson(frame), "watch event");
  if (!envelope.type) return Malformed("has no type");
  const auto type = TypeFromString(*envelope.type);
  if (!type) return Malformed("has the unknown type \"" + PrintableSnippet(*envelope.type, 64) + "\"");
  if (!envelope.object) return Malformed("of type " + *envelope.type + " has no object");

  WatchEvent event;
  event.type = *type;
  const std::string_view object = envelope.object->In(frame);
  if (*type == WatchEventType::kError) {
    if (auto status = ErrorFromStatus(object)) {
      event.error = *std::move(status);
    } else {
      event.error.code = ErrorCode::kServer;
      event.error.message = "the server ended the watch: " + PrintableSnippet(object, kMaxEventSnippet);
    }
    return event;
  }
  event.object = std::move(envelope.built);
  if (!event.object) {
    auto parsed = ParseObject(object, options, envelope.object->begin);
    if (!parsed) return Annotate(std::move(parsed).error(), "watch event");
    event.object = *std::move(parsed);
  }
  if (event.object->ResourceVersion().size() > kMaxResourceVersionBytes) {
    return Malformed("has a resourceVersion of more than " + std::to_string(kMaxResourceVersionBytes) + " bytes");
  }
  return event;
}

}  // namespace internal
}  // namespace kinformer
