#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_

// In:     objects
// Out:    the parts of a list's text, which are the objects' own
// Thread: any; pure
// Next:   HttpExchange::Respond

#include <string>
#include <vector>

#include "src/apiserver/http/buffer.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/apiserver/storage/object_storage.h"
#include "src/apiserver/watch/watch_server.h"

namespace kinformer::apiserver {

/// Nothing of the objects is copied. As in a typed list, items have no kind and apiVersion, where their text begins
/// with these.
std::vector<Buffer> ListText(const ServedKind& kind, const ListResult& list, ObjectForm form);

/// The metadata of a list: resourceVersion, and continue and remainingItemCount where there is more.
std::string ListMetaText(const ListResult& list);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_
