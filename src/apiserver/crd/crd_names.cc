#include "src/apiserver/crd/crd_names.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

std::string InUse(const std::string& name) { return "\"" + name + "\" is already in use"; }

}  // namespace

void TakenNames::AddAccepted(const json& definition) {
  const json& names = FieldOf(FieldOf(definition, "status"), "acceptedNames");
  for (const char* name : {"plural", "singular"}) resources.insert(TextOf(names, name));
  for (const json& name : FieldOf(names, "shortNames")) {
    if (name.is_string()) resources.insert(name.get<std::string>());
  }
  for (const char* name : {"kind", "listKind"}) kinds.insert(TextOf(names, name));
}

void TakenNames::Add(const ServedKind& kind) {
  resources.insert(kind.resource.resource);
  resources.insert(kind.singular);
  resources.insert(kind.short_names.begin(), kind.short_names.end());
  kinds.insert(kind.kind);
  kinds.insert(kind.ListKind());
}

NamesGranted GrantNames(const json& definition, const TakenNames& taken) {
  const json& wanted = FieldOf(FieldOf(definition, "spec"), "names");
  const json& had = FieldOf(FieldOf(definition, "status"), "acceptedNames");
  NamesGranted granted{
      .names = had.is_object() ? had : json::object(), .reason = "NoConflicts", .message = "no conflicts found"};
  const auto refuse = [&](const char* reason, std::string message) {
    granted.all = false;
    granted.reason = reason;
    granted.message = std::move(message);
  };
  const auto grant = [&](const char* name, const std::set<std::string>& used, const char* conflict) {
    const std::string& text = TextOf(wanted, name);
    if (text != TextOf(had, name) && used.contains(text)) return refuse(conflict, InUse(text));
    granted.names[name] = text;
  };
  grant("plural", taken.resources, "PluralConflict");
  grant("singular", taken.resources, "SingularConflict");
  const json& short_names = FieldOf(wanted, "shortNames");
  const json& had_short = FieldOf(had, "shortNames");
  std::string in_use;
  for (const json& name : short_names) {
    const bool own = std::find(had_short.begin(), had_short.end(), name) != had_short.end();
    if (own || !name.is_string() || !taken.resources.contains(name.get<std::string>())) continue;
    in_use += (in_use.empty() ? "" : ", ") + InUse(name.get<std::string>());
  }
  if (!in_use.empty()) {
    refuse("ShortNamesConflict", in_use);
  } else if (short_names.is_array() && !short_names.empty()) {
    granted.names["shortNames"] = short_names;
  } else {
    granted.names.erase("shortNames");
  }
  grant("kind", taken.kinds, "KindConflict");
  grant("listKind", taken.kinds, "ListKindConflict");
  granted.names.erase("categories");
  if (const json& categories = FieldOf(wanted, "categories"); categories.is_array() && !categories.empty()) {
    granted.names["categories"] = categories;
  }
  return granted;
}

}  // namespace kinformer::apiserver
