#include "src/apiserver/endpoints/list_text.h"

#include <string>
#include <string_view>
#include <utility>

#include "src/codec/json_text.h"

namespace kinformer::apiserver {
namespace {

using internal::AppendQuoted;

std::string Head(std::string_view kind, std::string_view api_version, const ListMeta& metadata) {
  std::string text = "{\"kind\":";
  AppendQuoted(kind, text);
  text += ",\"apiVersion\":";
  AppendQuoted(api_version, text);
  text += ",\"metadata\":" + ListMetaText(metadata) + ",\"items\":[";
  return text;
}

}  // namespace

std::string ListMetaText(const ListMeta& metadata) {
  std::string text = "{\"resourceVersion\":";
  AppendQuoted(metadata.resource_version, text);
  if (!metadata.continue_token.empty()) {
    text += ",\"continue\":";
    AppendQuoted(metadata.continue_token, text);
  }
  if (metadata.remaining_item_count) {
    text += ",\"remainingItemCount\":" + std::to_string(*metadata.remaining_item_count);
  }
  return text + "}";
}

std::vector<Buffer> ListText(const ServedKind& kind, const ObjectList& list, ObjectForm form) {
  std::vector<Buffer> parts;
  if (form == ObjectForm::kMetadata) {
    parts.reserve(4 * list.items.size() + 2);
    parts.emplace_back(Head("PartialObjectMetadataList", "meta.k8s.io/v1", list.metadata));
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) parts.push_back(Buffer::Static(","));
      AppendObject(list.items[i], form, parts);
    }
  } else {
    parts.reserve(2 * list.items.size() + 2);
    parts.emplace_back(Head(kind.ListKind(), kind.resource.ApiVersion(), list.metadata));
    std::string type_meta = "{\"apiVersion\":";
    AppendQuoted(kind.resource.ApiVersion(), type_meta);
    type_meta += ",\"kind\":";
    AppendQuoted(kind.kind, type_meta);
    type_meta += ',';
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      std::string_view text = list.items[i]->Json();
      // Custom objects keep theirs, as on a real server.
      const bool cut = kind.schema == nullptr && text.substr(0, type_meta.size()) == type_meta;
      if (cut) text.remove_prefix(type_meta.size());
      if (i > 0 || cut) parts.push_back(Buffer::Static(i == 0 ? "{" : cut ? ",{" : ","));
      parts.emplace_back(list.items[i], text);
    }
  }
  parts.push_back(Buffer::Static("]}\n"));
  return parts;
}

}  // namespace kinformer::apiserver
