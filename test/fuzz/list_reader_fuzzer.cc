// A list yields the same items regardless of chunking. What we accept, nlohmann accepts too and reads as equal.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/codec/json_explain.h"
#include "src/codec/json_walker.h"
#include "src/codec/list_reader.h"
#include "src/codec/status_reader.h"
#include "src/codec/watch_event_reader.h"

namespace {

using kinformer::ListMeta;
using kinformer::ObjectPtr;
using kinformer::internal::ListReader;
using kinformer::internal::ListReaderOptions;

struct Outcome {
  bool ok = false;
  std::vector<ObjectPtr> items;
  ListMeta meta;
};

Outcome Read(std::string_view body, std::size_t first, std::size_t others) {
  ListReaderOptions options;
  options.object.keep_managed_fields = true;
  Outcome outcome;
  ListReader reader(options);
  for (std::size_t size = first; !body.empty(); size = others) {
    const std::string chunk(body.substr(0, size));
    body.remove_prefix(chunk.size());
    if (!reader.Feed(chunk, outcome.items)) return outcome;
  }
  auto meta = reader.Finish();
  outcome.ok = meta.ok();
  if (meta) outcome.meta = *meta;
  return outcome;
}

void Require(bool condition) {
  if (!condition) std::abort();
}

void RequireSame(const Outcome& a, const Outcome& b) {
  Require(a.ok == b.ok && a.items.size() == b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) Require(a.items[i]->Json() == b.items[i]->Json());
  Require(a.meta == b.meta);
}

/// Removes kind and apiVersion: the reader fills them in where the item has none, the DOM does not.
nlohmann::json WithoutType(nlohmann::json item) {
  item.erase("kind");
  item.erase("apiVersion");
  return item;
}

void RequireEqualToDom(const Outcome& outcome, const nlohmann::json& dom) {
  Require(dom.is_object() && dom.contains("items"));
  const nlohmann::json& items = dom.at("items");
  Require(items.is_null() ? outcome.items.empty() : items.size() == outcome.items.size());
  for (std::size_t i = 0; i < outcome.items.size(); ++i) {
    const nlohmann::json item = outcome.items[i]->ToJson();
    Require(WithoutType(item) == WithoutType(items.at(i)));
    const nlohmann::json& metadata = item.at("metadata");
    Require(
        outcome.items[i]->Name() ==
        (metadata.value("name", nlohmann::json()).is_null() ? std::string() : metadata.at("name").get<std::string>()));
    Require(outcome.items[i]->At("/metadata").ToJson() == metadata);
    Require(outcome.items[i]->Annotations().size() ==
            (metadata.contains("annotations") ? metadata.at("annotations").size() : 0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes choose the chunk sizes.
  const std::size_t first = data[0] + std::size_t{1};
  const std::size_t others = data[1] + std::size_t{1};
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);

  const Outcome whole = Read(body, body.size() + 1, 1);
  RequireSame(whole, Read(body, first, others));
  RequireSame(whole, Read(body, 1, 1));

  const bool valid = kinformer::internal::IsValidJson(body);
  Require(valid == !kinformer::internal::ExplainJson(body));
  const nlohmann::json dom = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (valid) Require(!dom.is_discarded());
  if (whole.ok) {
    Require(!dom.is_discarded());
    RequireEqualToDom(whole, dom);
  }

  // The other readers get the same bytes; they only have to survive them.
  (void)kinformer::internal::ReadWatchEvent(body, {});
  (void)kinformer::internal::ErrorFromResponse(500, body);
  if (const auto object = kinformer::Object::Parse(body)) {
    (void)(*object)->Annotations();
    Require((*object)->ToJson().is_object());
  }
  return 0;
}
