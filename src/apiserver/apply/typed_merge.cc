#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/apiserver/apply/typed_value.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const json kNull;

class Merger {
 public:
  /// A null pointer means absent; at most one may be null. Nullopt: nothing remains.
  std::optional<json> Merge(const json* value, const json* partial, const TypeRef& type) {
    switch (type.AtomFor(partial == nullptr ? *value : *partial)) {
      case Atom::kMap: {
        const json* a = value != nullptr && value->is_object() ? value : nullptr;
        const json* b = partial != nullptr && partial->is_object() ? partial : nullptr;
        const bool empty = (a == nullptr || a->empty()) && (b == nullptr || b->empty());
        if (type.AtomicMap() || empty) return Leaf(value, partial);
        return Maps(a, b, type);
      }
      case Atom::kNone:
      case Atom::kList: {
        const json* a = value != nullptr && value->is_array() ? value : nullptr;
        const json* b = partial != nullptr && partial->is_array() ? partial : nullptr;
        const bool empty = (a == nullptr || a->empty()) && (b == nullptr || b->empty());
        if (type.AtomicList() || empty) return Leaf(value, partial);
        return Lists(a, b, type);
      }
      case Atom::kScalar:
        break;
    }
    return Leaf(value, partial);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  struct Indexed {
    std::vector<PathElement> elements{};
    /// For a duplicate element, a JSON null, which merges with nothing.
    std::map<PathElement, const json*> values{};

    bool Has(const PathElement& element) const { return values.count(element) > 0; }
    const json* Get(const PathElement& element) const {
      const auto it = values.find(element);
      return it == values.end() ? nullptr : it->second;
    }
  };

  static std::optional<json> Leaf(const json* value, const json* partial) {
    return partial != nullptr ? *partial : *value;
  }

  std::optional<json> Maps(const json* value, const json* partial, const TypeRef& type) {
    static const json::object_t none;
    const auto& a = value == nullptr ? none : value->get_ref<const json::object_t&>();
    const auto& b = partial == nullptr ? none : partial->get_ref<const json::object_t&>();
    json out = json::object();
    auto& members = out.get_ref<json::object_t&>();
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() || j != b.end()) {
      const int c = i == a.end() ? 1 : j == b.end() ? -1 : i->first.compare(j->first);
      const std::string& name = c <= 0 ? i->first : j->first;
      const json* left = c <= 0 ? &i->second : nullptr;
      const json* right = c >= 0 ? &j->second : nullptr;
      if (std::optional<json> merged = Merge(left, right, type.MapItem(name))) {
        members.emplace_hint(members.end(), name, *std::move(merged));
      }
      if (c <= 0) ++i;
      if (c >= 0) ++j;
    }
    if (out.empty()) return std::nullopt;
    return out;
  }

  Indexed IndexOf(const json* list, const TypeRef& type, Duplicates duplicates) {
    Indexed indexed;
    if (list == nullptr) return indexed;
    for (std::size_t i = 0; i < list->size(); ++i) {
      Result<PathElement> element = ElementOf((*list)[i], type);
      if (!element) {
        Report("element " + std::to_string(i) + ": " + element.error().message);
        continue;
      }
      const auto [at, fresh] = indexed.values.emplace(*element, &(*list)[i]);
      if (!fresh && duplicates == Duplicates::kForbidden) {
        Report("duplicate entries for key " + element->ToString());
        continue;
      }
      if (!fresh) at->second = &kNull;
      indexed.elements.push_back(*std::move(element));
    }
    return indexed;
  }

  std::optional<json> Lists(const json* value, const json* partial, const TypeRef& type) {
    const Indexed right = IndexOf(partial, type, Duplicates::kForbidden);
    const Indexed left = IndexOf(value, type, Duplicates::kAllowed);
    if (error_) return std::nullopt;
    const TypeRef element_type = type.Element();
    json out = json::array();
    const auto add = [&](const json* a, const json* b) {
      if (std::optional<json> merged = Merge(a, b, element_type)) out.push_back(*std::move(merged));
    };
    // Shared elements follow the order of `partial`; the others stay between their neighbours.
    std::vector<const PathElement*> shared;
    for (const PathElement& element : right.elements) {
      if (left.Has(element)) shared.push_back(&element);
    }
    std::size_t next_shared = 0;
    std::map<PathElement, bool> merged;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < left.elements.size() || j < right.elements.size()) {
      if (i < left.elements.size() && j < right.elements.size()) {
        const PathElement& element = left.elements[i];
        if (element == right.elements[j]) {
          merged[element] = true;
          add(left.Get(element), right.Get(element));
          ++i;
          ++j;
          ++next_shared;
          continue;
        }
        if (right.Has(element) && next_shared < shared.size() && !(*shared[next_shared] == element)) {
          ++i;
          continue;
        }
      }
      if (i < left.elements.size()) {
        const PathElement& element = left.elements[i];
        if (!right.Has(element)) {
          add(&(*value)[i], nullptr);
          ++i;
          continue;
        }
        if (merged.count(element) > 0) ++i;
      }
      if (j < right.elements.size()) {
        const PathElement& element = right.elements[j];
        merged[element] = true;
        add(left.Get(element), right.Get(element));
        ++j;
        if (next_shared < shared.size() && *shared[next_shared] == element) ++next_shared;
      }
    }
    if (out.empty()) return std::nullopt;
    return out;
  }

  void Report(std::string what) {
    if (!error_) error_ = Error{.code = ErrorCode::kInvalidArgument, .message = std::move(what)};
  }

  std::optional<Error> error_;
};

enum class Take { kRest, kItems };

json Taken(const json& value, const FieldSet& fields, const TypeRef& type, Take take);

json TakenList(const json& value, const FieldSet& fields, const TypeRef& type, Take take) {
  const TypeRef element_type = type.Element();
  json out = json::array();
  for (const json& item : value) {
    const Result<PathElement> element = ElementOf(item, type);
    const FieldSet::Node* node = element ? fields.Find(*element) : nullptr;
    const bool exact = node != nullptr && node->member;
    const bool prefix = node != nullptr && !node->behind.Empty();
    if (take == Take::kRest ? exact : !exact && !prefix) continue;
    out.push_back(prefix ? Taken(item, node->behind, element_type, take) : item);
  }
  return out.empty() ? json() : out;
}

json TakenMap(const json& value, const FieldSet& fields, const TypeRef& type, Take take) {
  json out = json::object();
  auto& members = out.get_ref<json::object_t&>();
  for (auto it = value.begin(); it != value.end(); ++it) {
    const FieldSet::Node* node = fields.FindField(it.key());
    const bool exact = node != nullptr && node->member;
    const bool prefix = node != nullptr && !node->behind.Empty();
    if (exact && take == Take::kRest) continue;
    if (exact) {
      // Like the Go library, restarts from the top of `fields` for the contents of a member.
      members.emplace_hint(members.end(), it.key(), Taken(*it, fields, type.MapItem(it.key()), take));
    } else if (prefix) {
      members.emplace_hint(members.end(), it.key(), Taken(*it, node->behind, type.MapItem(it.key()), take));
    } else if (take == Take::kRest) {
      members.emplace_hint(members.end(), it.key(), *it);
    }
  }
  return out.empty() ? json() : out;
}

json Taken(const json& value, const FieldSet& fields, const TypeRef& type, Take take) {
  switch (type.AtomFor(value)) {
    case Atom::kScalar:
      return value;
    case Atom::kNone:
    case Atom::kList:
      if (!value.is_array()) return {};
      if (value.empty() || type.AtomicList()) return take == Take::kItems ? value : json();
      return TakenList(value, fields, type, take);
    case Atom::kMap:
      break;
  }
  if (!value.is_object()) return {};
  if (value.empty() || type.AtomicMap()) return take == Take::kItems ? value : json();
  return TakenMap(value, fields, type, take);
}

}  // namespace

Result<json> MergeTyped(const json& value, const json& partial, const TypeRef& type) {
  Merger merger;
  std::optional<json> merged = merger.Merge(&value, &partial, type);
  if (merger.error()) return *merger.error();
  return merged ? *std::move(merged) : json();
}

json RemoveItems(const json& value, const FieldSet& fields, const TypeRef& type) {
  return Taken(value, fields, type, Take::kRest);
}

json ExtractItems(const json& value, const FieldSet& fields, const TypeRef& type) {
  return Taken(value, fields, type, Take::kItems);
}

}  // namespace kinformer::apiserver
