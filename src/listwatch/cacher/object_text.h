#ifndef KINFORMER_SRC_LISTWATCH_CACHER_OBJECT_TEXT_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_OBJECT_TEXT_H_

// In:     objects and revisions
// Out:    keys, parsed revisions, and objects with another resourceVersion
// Thread: the caller's; pure
// Next:   WatchCache, CacheWatcher

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

/// The key of an object within its resource: "namespace/name", or "name" if cluster-scoped. Byte order is the storage's
/// order.
std::string KeyOf(std::string_view namespace_name, std::string_view name);
inline std::string KeyOf(const Object& object) { return KeyOf(object.Namespace(), object.Name()); }

/// nullopt unless it is a non-negative decimal number that fits into a Revision.
std::optional<Revision> ParseRevision(std::string_view text);

/// A copy with another resourceVersion; the object itself if it has none.
ObjectPtr WithRevision(const ObjectPtr& object, Revision revision);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_OBJECT_TEXT_H_
