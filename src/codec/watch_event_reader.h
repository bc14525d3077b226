#ifndef KINFORMER_SRC_CODEC_WATCH_EVENT_READER_H_
#define KINFORMER_SRC_CODEC_WATCH_EVENT_READER_H_

// In:     one frame of a watch (frame_splitter.h)
// Out:    a WatchEvent
// Thread: the consumer's; pure
// Next:   the user's pull stream, or the Reflector

#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/codec/watch_event.h>

namespace kinformer::internal {

/// Reads `{"type":"ADDED","object":{...}}`, with members in any order. An unknown type, a missing object or invalid
/// JSON is kMalformed; an ERROR whose object is not a Status still becomes a kError event, with an excerpt of the
/// object.
Result<WatchEvent> ReadWatchEvent(std::string_view frame, const ObjectOptions& options);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_WATCH_EVENT_READER_H_
