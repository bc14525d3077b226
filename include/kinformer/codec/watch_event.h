#ifndef KINFORMER_CODEC_WATCH_EVENT_H_
#define KINFORMER_CODEC_WATCH_EVENT_H_

#include <string_view>

#include <kinformer/base/error.h>
#include <kinformer/codec/object.h>

namespace kinformer {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

std::string_view ToString(WatchEventType type);

/// One watch event.
struct WatchEvent {
  WatchEventType type = WatchEventType::kAdded;
  /// Set unless the type is kError. In a bookmark, only the resourceVersion and the annotations are meaningful.
  ObjectPtr object{};
  /// For kError: the Status that the server sent (410 Expired, 429, 500, ...).
  Error error{};
};

}  // namespace kinformer

#endif  // KINFORMER_CODEC_WATCH_EVENT_H_
