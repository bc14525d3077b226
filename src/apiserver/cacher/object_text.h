#ifndef KINFORMER_SRC_APISERVER_CACHER_OBJECT_TEXT_H_
#define KINFORMER_SRC_APISERVER_CACHER_OBJECT_TEXT_H_

// In:     objects and revisions
// Out:    keys, and the objects that only a watch needs: what was there before a change
// Thread: the caller's; pure
// Next:   WatchCache, CacheWatcher

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

/// Where an object stands in its resource: "namespace/name", or "name". Sorted as bytes, that is the storage's order.
std::string KeyOf(std::string_view namespace_name, std::string_view name);
inline std::string KeyOf(const Object& object) { return KeyOf(object.Namespace(), object.Name()); }

/// nullopt unless it is a decimal number that a Revision can be.
std::optional<Revision> ParseRevision(std::string_view text);

/// The same object with another resourceVersion; itself, if it has none that could be changed.
ObjectPtr WithRevision(const ObjectPtr& object, Revision revision);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_OBJECT_TEXT_H_
