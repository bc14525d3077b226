#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_

// In:     objects
// Out:    the text of a list, in parts that reference the objects' own text
// Thread: any; pure
// Next:   HttpExchange::Respond

#include <string>
#include <vector>

#include <kinformer/codec/object_list.h>
#include <kinformer/meta/list.h>

#include "src/apiserver/registry/served_kind.h"
#include "src/http/buffer.h"
#include "src/listwatch/watch/watch_server.h"

namespace kinformer::apiserver {

/// Copies no object. As in a typed list, items of built-in kinds have no apiVersion and kind, provided that their text
/// starts with these.
std::vector<Buffer> ListText(const ServedKind& kind, const ObjectList& list, ObjectForm form);

/// JSON: resourceVersion, and continue and remainingItemCount if there are more items.
std::string ListMetaText(const ListMeta& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_LIST_TEXT_H_
