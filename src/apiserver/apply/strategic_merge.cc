#include "src/apiserver/apply/strategic_merge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/apiserver/apply/drop_nulls.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using List = json::array_t;
using Map = json::object_t;

constexpr const char* kDirective = "$patch";
constexpr const char* kRetainKeys = "$retainKeys";
constexpr std::string_view kSetOrder = "$setElementOrder";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";

Error BadFormat(std::string_view of) {
  return {.code = ErrorCode::kServer,
          .message = "invalid patch format of " + std::string(of),
          .http_status = 400,
          .reason = "BadRequest"};
}

Error ListOfLists() {
  return {.code = ErrorCode::kServer,
          .message = "lists of lists are not supported",
          .http_status = 422,
          .reason = "Invalid"};
}

Error Failed(std::string message) {
  return {.code = ErrorCode::kServer, .message = std::move(message), .http_status = 500};
}

/// Like Go's %v of a decoded JSON value.
std::string Shown(const json& value) {
  std::string out;
  switch (value.type()) {
    case json::value_t::object:
      for (auto it = value.begin(); it != value.end(); ++it) {
        out += (out.empty() ? "" : " ") + it.key() + ":" + Shown(*it);
      }
      return "map[" + out + "]";
    case json::value_t::array:
      for (const json& element : value) out += (out.empty() ? "" : " ") + Shown(element);
      return "[" + out + "]";
    case json::value_t::string:
      return value.get<std::string>();
    case json::value_t::null:
      return "<nil>";
    default:
      return value.dump();
  }
}

std::string GoType(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "map[string]interface {}";
    case json::value_t::array:
      return "[]interface {}";
    case json::value_t::string:
      return "string";
    case json::value_t::boolean:
      return "bool";
    case json::value_t::number_float:
      return "float64";
    case json::value_t::null:
      return "%!s(<nil>)";
    default:
      return "int64";
  }
}

bool SameType(const json& a, const json& b) {
  if (a.is_number_integer() && b.is_number_integer()) return true;
  return a.type() == b.type();
}

/// Compares scalars; containers cannot be keys.
bool Same(const json& a, const json& b) { return SameType(a, b) && a == b; }

Error WrongType(std::string_view expected, const json& got) {
  return Failed("expected a " + std::string(expected) + ", but received a " + GoType(got));
}

Error NoMergeKey(const json& element, const std::string& key) {
  return Failed("map: " + Shown(element) + " does not contain declared merge key: " + key);
}

/// "$setElementOrder/finalizers" -> "finalizers"
Result<std::string> NameBehind(const std::string& text, std::string_view prefix, std::string_view what) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || std::string_view(text).substr(0, slash) != prefix) return BadFormat(what);
  return text.substr(slash + 1);
}

/// Merge metadata of one field.
struct FieldMeta {
  /// Schema of the value, or of a list's elements; null: unknown.
  const Schema* schema = nullptr;
  bool merge = false;
  std::string key{};
};

Result<FieldMeta> MetaOf(const Schema* schema, const std::string& name, bool list) {
  // No declared structure.
  if (schema == nullptr || (schema->fields.empty() && schema->type != SchemaType::kMap)) return FieldMeta{};
  if (schema->type == SchemaType::kMap) {
    return Failed("merging an object in json but data type is not struct, instead is: map");
  }
  const SchemaField* field = schema->Find(name);
  if (field == nullptr || field->schema == nullptr) {
    if (schema->preserve_unknown_fields) return FieldMeta{};
    const std::string_view full = schema->name;
    return Failed("unable to find api field in struct " + std::string(full.substr(full.rfind('.') + 1)) +
                  " for the json field \"" + name + "\"");
  }
  FieldMeta meta{.schema = field->schema, .merge = field->schema->patch_merge, .key = field->schema->patch_merge_key};
  if (list) meta.schema = field->schema->items;
  return meta;
}

/// Requires elements of one type that are not lists. `maps`: set if they are objects.
Result<void> CheckElements(const List& a, const List& b, bool& maps) {
  const json* first = nullptr;
  for (const List* list : {&a, &b}) {
    for (const json& element : *list) {
      if (first == nullptr) {
        first = &element;
        if (element.is_array()) return ListOfLists();
      } else if (!SameType(*first, element)) {
        return Failed("list element types are not identical: [" + Shown(a) + " " + Shown(b) + "]");
      }
    }
  }
  if (first == nullptr) return Failed("no elements in any of the given slices");
  maps = first->is_object();
  return {};
}

/// The identity of an element: its merge key's value, or the element itself.
const json& KeyOf(const json& element, const std::string& key, bool maps) {
  static const json none;
  if (!maps) return element;
  if (!element.is_object()) return none;
  const auto it = element.find(key);
  return it == element.end() ? none : *it;
}

std::ptrdiff_t IndexOf(const List& list, const json& element, const std::string& key, bool maps) {
  const json& wanted = KeyOf(element, key, maps);
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const json& other) { return Same(KeyOf(other, key, maps), wanted); });
  return it == list.end() ? -1 : it - list.begin();
}

Result<std::ptrdiff_t> FindByKey(const List& list, const std::string& key, const json& value) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) return Failed("value for key " + std::to_string(i) + " is not a map");
    const auto it = list[i].find(key);
    if (it != list[i].end() && Same(*it, value)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

/// Splits `list` into the elements that are in `by` and the others.
Result<std::pair<List, List>> Partition(List list, const List& by, const std::string& key) {
  std::pair<List, List> out;
  for (json& element : list) {
    bool in = false;
    if (key.empty()) {
      in = IndexOf(by, element, key, false) >= 0;
    } else {
      if (!element.is_object()) return WrongType("map[string]interface {}", element);
      const auto it = element.find(key);
      if (it == element.end()) return NoMergeKey(element, key);
      Result<std::ptrdiff_t> at = FindByKey(by, key, *it);
      if (!at) return std::move(at).error();
      in = *at >= 0;
    }
    (in ? out.first : out.second).push_back(std::move(element));
  }
  return out;
}

/// Sorts by position in `order`; elements to be deleted go last.
Result<void> SortBy(List& list, const List& order, const std::string& key, bool maps) {
  List deleted;
  if (maps) {
    for (const List* checked : {static_cast<const List*>(&list), &order}) {
      for (const json& element : *checked) {
        if (!element.is_object()) return WrongType("map[string]interface {}", element);
        if (!element.contains(key)) return NoMergeKey(element, key);
      }
    }
    List kept;
    for (json& element : list) {
      const auto it = element.find(kDirective);
      (it != element.end() && *it == "delete" ? deleted : kept).push_back(std::move(element));
    }
    list = std::move(kept);
  }
  std::vector<std::pair<std::ptrdiff_t, json>> placed;
  placed.reserve(list.size());
  for (json& element : list) {
    const std::ptrdiff_t at = IndexOf(order, element, key, maps);
    placed.emplace_back(at, std::move(element));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  list.clear();
  for (auto& [at, element] : placed) list.push_back(std::move(element));
  for (json& element : deleted) list.push_back(std::move(element));
  return {};
}

/// Inserts the elements that only the server has among those that the patch orders, preserving the server's order.
Result<List> Ordered(List patched, List server_only, const List& patch_order, const List& server_order,
                     const std::string& key, bool maps) {
  if (Result<void> sorted = SortBy(patched, patch_order, key, maps); !sorted) return std::move(sorted).error();
  if (Result<void> sorted = SortBy(server_only, server_order, key, maps); !sorted) return std::move(sorted).error();
  List out;
  out.reserve(patched.size() + server_only.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < server_only.size() || j < patched.size()) {
    bool server_first = j >= patched.size();
    if (i < server_only.size() && j < patched.size()) {
      const std::ptrdiff_t a = IndexOf(server_order, server_only[i], key, maps);
      const std::ptrdiff_t b = IndexOf(server_order, patched[j], key, maps);
      server_first = a >= 0 && b >= 0 && a < b;
    }
    out.push_back(std::move(server_first ? server_only[i++] : patched[j++]));
  }
  return out;
}

/// False: the value itself is a directive and must be dropped.
bool DropDirectives(json& value) {
  if (value.is_object()) {
    if (value.contains(kDirective)) return false;
    for (auto it = value.begin(); it != value.end();) {
      if (DropDirectives(*it)) {
        ++it;
      } else {
        it = value.erase(it);
      }
    }
  } else if (value.is_array()) {
    auto& list = value.get_ref<List&>();
    List kept;
    for (json& element : list) {
      if (DropDirectives(element)) kept.push_back(std::move(element));
    }
    list = std::move(kept);
  }
  return true;
}

/// Keeps the first occurrence of each value. The rest have the order that a real server leaves: the last element fills
/// each gap.
void Deduplicate(List& list) {
  if (list.empty()) return;
  std::size_t last = list.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    for (std::size_t j = i + 1; j <= last;) {
      if (Same(list[i], list[j])) {
        if (j != last) list[j] = std::move(list[last]);
        list.resize(last);
        --last;
      } else {
        ++j;
      }
    }
  }
}

Result<json> MergeMap(json object, json patch, const Schema* schema);

/// The element orders needed to sort a merged list.
struct Places {
  List patch{};
  /// Without the elements that the patch deletes.
  List server{};
  /// The backing array of the server's list after the merge. It keeps its length: deletions leave stale elements at the
  /// end, which additions then overwrite. A real server uses it for $setElementOrder.
  List memory{};
};

Result<List> MergeKeyed(List object, List patch, const std::string& key, const Schema* schema, Places& places) {
  places.memory = object;
  List plain;
  bool replace = false;
  for (json& element : patch) {
    const auto directive = element.find(kDirective);
    if (directive == element.end()) {
      plain.push_back(std::move(element));
    } else if (*directive == "delete") {
      const auto value = element.find(key);
      if (value == element.end()) return NoMergeKey(element, key);
      for (;;) {
        Result<std::ptrdiff_t> at = FindByKey(object, key, *value);
        if (!at) return std::move(at).error();
        if (*at < 0) break;
        object.erase(object.begin() + *at);
        std::copy(object.begin() + *at, object.end(), places.memory.begin() + *at);
      }
    } else if (*directive == "replace") {
      replace = true;
    } else if (*directive == "merge") {
      return Failed("merging lists cannot yet be specified in the patch");
    } else {
      return Failed("unknown patch type: " + Shown(*directive) + " in map: " + Shown(element));
    }
  }
  if (replace) {
    object = std::move(plain);
    plain.clear();
  }
  places.patch = plain;
  places.server = object;
  for (json& element : plain) {
    const auto value = element.find(key);
    if (value == element.end()) return NoMergeKey(element, key);
    Result<std::ptrdiff_t> at = FindByKey(object, key, *value);
    if (!at) return std::move(at).error();
    if (*at < 0) {
      if (!replace && object.size() < places.memory.size()) places.memory[object.size()] = element;
      object.push_back(std::move(element));
      continue;
    }
    json& into = object[static_cast<std::size_t>(*at)];
    Result<json> merged = MergeMap(std::move(into), std::move(element), schema);
    if (!merged) return std::move(merged).error();
    into = *std::move(merged);
  }
  return object;
}

/// `memory`: receives Places::memory; may be null.
Result<List> MergeList(List object, List patch, const FieldMeta& meta, bool deletes, List* memory = nullptr) {
  if (!meta.merge && !deletes) return patch;
  if (object.empty() && patch.empty()) return object;
  bool maps = false;
  if (Result<void> checked = CheckElements(object, patch, maps); !checked) return std::move(checked).error();
  if (maps) {
    if (meta.key.empty()) return Failed("cannot merge lists without merge key for struct");
    Places places;
    Result<List> merged = MergeKeyed(std::move(object), std::move(patch), meta.key, meta.schema, places);
    if (!merged) return merged;
    if (memory != nullptr) *memory = std::move(places.memory);
    Result<std::pair<List, List>> parts = Partition(*std::move(merged), places.patch, meta.key);
    if (!parts) return std::move(parts).error();
    return Ordered(std::move(parts->first), std::move(parts->second), places.patch, places.server, meta.key, true);
  }
  if (deletes) {
    std::erase_if(object, [&](const json& element) { return IndexOf(patch, element, "", false) >= 0; });
    return object;
  }
  List both = object;
  both.insert(both.end(), patch.begin(), patch.end());
  Deduplicate(both);
  // A merge key for scalars makes Partition fail.
  Result<std::pair<List, List>> parts = Partition(std::move(both), patch, meta.key);
  if (!parts) return std::move(parts).error();
  return Ordered(std::move(parts->first), std::move(parts->second), patch, object, meta.key, false);
}

Result<void> RetainKeys(json& object, json& patch) {
  const auto found = patch.find(kRetainKeys);
  if (found == patch.end()) return {};
  const json names = std::move(*found);
  patch.erase(kRetainKeys);
  if (!names.is_array()) return BadFormat("retainKeys");
  const auto retained = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const json& other) {
      return other.is_string() && other.get_ref<const std::string&>() == name;
    });
  };
  for (auto it = patch.begin(); it != patch.end(); ++it) {
    if (it->is_null() || it.key().starts_with(kDeleteFrom) || it.key().starts_with(kSetOrder)) continue;
    if (!retained(it.key())) return BadFormat("retainKeys");
  }
  for (auto it = object.begin(); it != object.end();) it = retained(it.key()) ? std::next(it) : object.erase(it);
  return {};
}

/// Checks that the patch's elements are among those in `order`, and in that order.
Result<void> CheckOrder(const List& patch, const List& order, const std::string& key) {
  if (order.empty() || patch.empty()) return {};
  const bool maps = !key.empty();
  const auto directive = [](const json& element) -> const json* {
    if (!element.is_object()) return nullptr;
    const auto it = element.find(kDirective);
    return it == element.end() ? nullptr : &*it;
  };
  std::vector<const json*> wanted;
  for (const json& element : patch) {
    if (maps && !element.is_object()) return WrongType("map[string]interface {}", element);
    const json* found = directive(element);
    if (!maps || found == nullptr || *found != "delete") wanted.push_back(&element);
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < wanted.size() && j < order.size()) {
    if (directive(*wanted[i]) != nullptr) {
      ++i;
      continue;
    }
    if (maps) {
      if (!order[j].is_object()) return WrongType("map[string]interface {}", order[j]);
      if (!wanted[i]->contains(key)) return NoMergeKey(*wanted[i], key);
      if (!order[j].contains(key)) return NoMergeKey(order[j], key);
    }
    if (Same(KeyOf(*wanted[i], key, maps), KeyOf(order[j], key, maps))) ++i;
    ++j;
  }
  if (i < wanted.size() && j == order.size()) {
    return Failed("The order in patch list:\n" + Shown(patch) + "\n doesn't match " + std::string(kSetOrder) +
                  " list:\n" + Shown(order) + "\n");
  }
  return {};
}

/// Merges a list that the patch also orders ($setElementOrder).
Result<void> MergeOrdered(json& object, json& patch, const std::string& directive, const Schema* schema) {
  const json order_value = std::move(patch[directive]);
  patch.erase(directive);
  if (!order_value.is_array()) return WrongType("[]interface {}", order_value);
  const List& order = order_value.get_ref<const List&>();
  Result<std::string> name = NameBehind(directive, kSetOrder, "setElementOrder list");
  if (!name) return std::move(name).error();
  const auto in_object = object.find(*name);
  const auto in_patch = patch.find(*name);
  if (in_object != object.end() && !in_object->is_array()) return WrongType("[]interface {}", *in_object);
  if (in_patch != patch.end() && !in_patch->is_array()) return WrongType("[]interface {}", *in_patch);
  const List before = in_object == object.end() ? List() : in_object->get_ref<const List&>();
  const List wanted = in_patch == patch.end() ? List() : in_patch->get_ref<const List&>();
  const Result<FieldMeta> meta = MetaOf(schema, *name, true);
  if (!meta) return meta.error();
  if (Result<void> checked = CheckOrder(wanted, order, meta->key); !checked) return checked;
  List merged;
  List places = before;
  if (in_object != object.end() && in_patch == patch.end()) {
    merged = before;
  } else if (in_object == object.end() && in_patch != patch.end()) {
    json plain = wanted;
    DropDirectives(plain);
    merged = std::move(plain.get_ref<List&>());
  } else if (in_object != object.end()) {
    Result<List> both = MergeList(before, wanted, *meta, false, &places);
    if (!both) return std::move(both).error();
    merged = *std::move(both);
  } else {
    return {};
  }
  Result<std::pair<List, List>> parts = Partition(std::move(merged), order, meta->key);
  if (!parts) return std::move(parts).error();
  bool maps = false;
  if (Result<void> checked = CheckElements(before, wanted, maps); !checked) return checked;
  Result<List> ordered = Ordered(std::move(parts->first), std::move(parts->second), order, places, meta->key, maps);
  if (!ordered) return std::move(ordered).error();
  object[*name] = *std::move(ordered);
  patch.erase(*name);
  return {};
}

void Replace(json& object, const std::string& name, json value) {
  DropNulls(value);
  if (DropDirectives(value)) {
    object[name] = std::move(value);
  } else {
    object.erase(name);
  }
}

Result<void> MergeField(json& object, std::string name, json value, const Schema* schema) {
  const bool deletes = name.starts_with(kDeleteFrom);
  if (deletes) {
    Result<std::string> of = NameBehind(name, kDeleteFrom, "primitive list");
    if (!of) return std::move(of).error();
    name = *std::move(of);
  }
  if (value.is_null()) {
    object.erase(name);
    return {};
  }
  const auto there = object.find(name);
  if (there == object.end() || !SameType(*there, value)) {
    if (!deletes) Replace(object, name, std::move(value));
    return {};
  }
  if (value.is_object()) {
    const Result<FieldMeta> meta = MetaOf(schema, name, false);
    if (!meta) return meta.error();
    Result<json> merged = MergeMap(std::move(*there), std::move(value), meta->schema);
    if (!merged) return std::move(merged).error();
    *there = *std::move(merged);
    return {};
  }
  if (value.is_array()) {
    const Result<FieldMeta> meta = MetaOf(schema, name, true);
    if (!meta) return meta.error();
    Result<List> merged =
        MergeList(std::move(there->get_ref<List&>()), std::move(value.get_ref<List&>()), *meta, deletes);
    if (!merged) return std::move(merged).error();
    *there = *std::move(merged);
    return {};
  }
  *there = std::move(value);
  return {};
}

Result<json> MergeMap(json object, json patch, const Schema* schema) {
  if (const auto directive = patch.find(kDirective); directive != patch.end()) {
    if (*directive == "replace") {
      patch.erase(kDirective);
      return patch;
    }
    if (*directive == "delete") return json::object();
    return Failed("unknown patch type: " + Shown(*directive) + " in map: " + Shown(patch));
  }
  if (object.is_null()) object = json::object();
  if (Result<void> retained = RetainKeys(object, patch); !retained) return std::move(retained).error();
  std::vector<std::string> names;
  for (auto it = patch.begin(); it != patch.end(); ++it) names.push_back(it.key());
  for (const std::string& name : names) {
    if (!name.starts_with(kSetOrder)) continue;
    if (Result<void> merged = MergeOrdered(object, patch, name, schema); !merged) return std::move(merged).error();
  }
  for (const std::string& name : names) {
    const auto value = patch.find(name);
    if (value == patch.end()) continue;
    if (Result<void> merged = MergeField(object, name, std::move(*value), schema); !merged) {
      return std::move(merged).error();
    }
  }
  return object;
}

}  // namespace

Result<json> StrategicMerge(json object, json patch, const Schema& schema) {
  return MergeMap(std::move(object), std::move(patch), &schema);
}

}  // namespace kinformer::apiserver
