#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_CODEC_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_CODEC_H_

// In:     objects; stored bytes and the revision of their write
// Out:    the bytes to store; objects with that revision as resourceVersion
// Thread: any; pure
// Next:   UndecoratedStorage, StorageListerWatcher

#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The JSON to store: without resourceVersion, which is the key's mod_revision; with apiVersion, kind and metadata
/// first, so that DecodeObject finds the metadata quickly. Of duplicate members only the last is kept.
std::string EncodeObject(const Object& object);

/// The stored object, with the resourceVersion inserted. Keeps managedFields. kMalformed if the bytes are not an
/// object. An object stored in another version of the same kind is converted by `convert` (null: only its apiVersion is
/// changed).
Result<ObjectPtr> DecodeObject(std::string_view stored, Revision revision, const GroupVersionKind& kind,
                               VersionConversion convert = nullptr);

/// The same object with another apiVersion.
Result<ObjectPtr> WithApiVersion(const Object& object, std::string_view api_version);

/// The object of a BOOKMARK event: kind, apiVersion and resourceVersion. With `initial_events_end` also the annotation
/// that ends a streaming list.
ObjectPtr MakeBookmark(const GroupVersionKind& kind, Revision revision, bool initial_events_end);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_CODEC_H_
