#ifndef KINFORMER_SRC_APISERVER_STORAGE_OBJECT_CODEC_H_
#define KINFORMER_SRC_APISERVER_STORAGE_OBJECT_CODEC_H_

// In:     objects; stored bytes and the revision of their write
// Out:    the bytes to store; objects with that revision as their resourceVersion
// Thread: any; pure
// Next:   UndecoratedStorage, StorageListerWatcher

#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

/// The object's JSON as it is stored: without a resourceVersion, which is its key's mod_revision; apiVersion, kind and
/// metadata first, so that the way back finds the metadata at once. Members that occur twice count once, the last.
std::string EncodeObject(const Object& object);

/// The object again, its resourceVersion spliced into the text. Keeps managedFields. kMalformed where the bytes are no
/// object. One that was stored in another version of the same kind comes out in this one.
Result<ObjectPtr> DecodeObject(std::string_view stored, Revision revision, const GroupVersionKind& kind);

/// The same object under another version of its kind.
Result<ObjectPtr> WithApiVersion(const Object& object, std::string_view api_version);

/// What a BOOKMARK event carries: kind, apiVersion and the version; with `initial_events_end` also the annotation that
/// ends a streaming list.
ObjectPtr MakeBookmark(const GroupVersionKind& kind, Revision revision, bool initial_events_end);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_OBJECT_CODEC_H_
