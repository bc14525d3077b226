#include "src/apiserver/apply/typed_value.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

Error Wrong(std::string message) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)}; }

std::string Listed(const std::vector<std::string>& keys) {
  std::string out = "[";
  for (const std::string& key : keys) out += (out.size() > 1 ? " " : "") + internal::GoQuoted(key);
  return out + "]";
}

std::string Abbreviated(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t kMost = 128;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

bool IsScalar(const json& value) { return value.is_string() || value.is_number() || value.is_boolean(); }

// ---- Validation

class Validator {
 public:
  explicit Validator(Duplicates duplicates) : duplicates_(duplicates) {}

  void Check(const json& value, const TypeRef& type) {
    if (errors_.size() >= kMaxErrors) return;
    switch (type.AtomFor(value)) {
      case Atom::kMap:
        return CheckMap(value, type);
      case Atom::kScalar:
        return CheckScalar(value, type);
      case Atom::kList:
        return CheckList(value, type);
      case Atom::kNone:
        return Report("schema error: invalid atom: inlined");
    }
  }

  Result<void> Take() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return Wrong(errors_.front());
    std::string all = "errors:";
    for (const std::string& error : errors_) all += "\n  " + error;
    return Wrong(std::move(all));
  }

 private:
  static constexpr std::size_t kMaxErrors = 100;

  void Report(std::string what) {
    const std::string path = ToString(path_);
    errors_.push_back(path.empty() ? std::move(what) : path + ": " + what);
  }

  void CheckMap(const json& value, const TypeRef& type) {
    if (value.is_null()) return;
    if (!value.is_object()) return Report("expected map, got &{" + Abbreviated(value) + "}");
    for (auto it = value.begin(); it != value.end(); ++it) {
      path_.push_back(PathElement::Field(it.key()));
      if (type.Field(it.key()) == nullptr && !type.AllowsUnnamed()) {
        Report("field not declared in schema");
        path_.pop_back();
        return;
      }
      Check(*it, type.MapItem(it.key()));
      path_.pop_back();
    }
  }

  void CheckScalar(const json& value, const TypeRef& type) {
    if (value.is_null()) return;
    const SchemaType is = type.schema() == nullptr ? SchemaType::kAny : type.schema()->type;
    switch (is) {
      case SchemaType::kInteger:
      case SchemaType::kNumber:
        if (!value.is_number()) {
          const char* got = value.is_string()    ? "string"
                            : value.is_boolean() ? "bool"
                            : value.is_array()   ? "[]interface {}"
                                                 : "map[string]interface {}";
          Report("expected numeric (int or float), got " + std::string(got));
        }
        return;
      case SchemaType::kString:
      case SchemaType::kBytes:
        if (!value.is_string() && (type.schema()->format.empty() || type.schema()->format == "byte")) {
          Report("expected string, got &value.valueUnstructured{Value:" + Abbreviated(value) + "}");
        }
        return;
      case SchemaType::kBoolean:
        if (!value.is_boolean()) Report("expected boolean, got &{" + Abbreviated(value) + "}");
        return;
      default:
        if (!IsScalar(value)) Report("expected any scalar, got &{" + Abbreviated(value) + "}");
    }
  }

  void CheckList(const json& value, const TypeRef& type) {
    if (value.is_null()) return;
    if (!value.is_array()) return Report("expected list, got &{" + Abbreviated(value) + "}");
    std::vector<PathElement> seen;
    const TypeRef element_type = type.Element();
    for (std::size_t i = 0; i < value.size(); ++i) {
      PathElement element = PathElement::Index(static_cast<std::int64_t>(i));
      if (!type.AtomicList()) {
        Result<PathElement> found = ElementOf(value[i], type);
        if (!found) return Report("element " + std::to_string(i) + ": " + found.error().message);
        element = *std::move(found);
        const auto at = std::lower_bound(seen.begin(), seen.end(), element);
        const bool again = at != seen.end() && *at == element;
        if (again && duplicates_ == Duplicates::kForbidden) Report("duplicate entries for key " + element.ToString());
        if (!again) seen.insert(at, element);
      }
      path_.push_back(std::move(element));
      Check(value[i], element_type);
      path_.pop_back();
    }
  }

  const Duplicates duplicates_;
  FieldPath path_;
  std::vector<std::string> errors_;
};

// ---- Field sets

/// `member` and `behind`: of the value's own node.
void Collect(const json& value, const TypeRef& type, bool& member, FieldSet& behind);

void CollectMap(const json& value, const TypeRef& type, FieldSet& behind) {
  for (auto it = value.begin(); it != value.end(); ++it) {
    bool member = false;
    FieldSet more;
    Collect(*it, type.MapItem(it.key()), member, more);
    member = member || it->is_null() || (it->is_object() && it->empty()) || type.Field(it.key()) == nullptr;
    behind.Add(PathElement::Field(it.key()), member, std::move(more));
  }
}

void CollectList(const json& value, const TypeRef& type, FieldSet& behind) {
  // Duplicate elements are owned as one path, without their contents.
  std::vector<std::pair<PathElement, std::size_t>> elements;
  elements.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (Result<PathElement> element = ElementOf(value[i], type)) elements.emplace_back(*std::move(element), i);
  }
  std::stable_sort(elements.begin(), elements.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const TypeRef element_type = type.Element();
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t next = i + 1;
    while (next < elements.size() && elements[next].first == elements[i].first) ++next;
    FieldSet more;
    if (next == i + 1) {
      bool unused = false;
      Collect(value[elements[i].second], element_type, unused, more);
    }
    behind.Add(std::move(elements[i].first), true, std::move(more));
    i = next;
  }
}

void Collect(const json& value, const TypeRef& type, bool& member, FieldSet& behind) {
  switch (type.AtomFor(value)) {
    case Atom::kMap:
      if (type.AtomicMap()) {
        member = true;
      } else if (value.is_object()) {
        CollectMap(value, type, behind);
      }
      return;
    case Atom::kList:
      if (type.AtomicList()) {
        member = true;
      } else if (value.is_array()) {
        CollectList(value, type, behind);
      }
      return;
    case Atom::kScalar:
    case Atom::kNone:
      member = true;
      return;
  }
}

// ---- Comparison

/// The result for one node, for each of the three sets.
struct Marks {
  bool added = false;
  bool modified = false;
  bool removed = false;
  FieldComparison behind{};

  void AddTo(PathElement element, FieldComparison& out) && {
    if (modified || !behind.modified.Empty()) out.modified.Merge(element, modified, std::move(behind.modified));
    if (removed || !behind.removed.Empty()) out.removed.Merge(element, removed, std::move(behind.removed));
    out.added.Merge(std::move(element), added, std::move(behind.added));
  }
};

class Comparer {
 public:
  /// A null pointer means absent; at most one may be null.
  Marks Compare(const json* before, const json* after, const TypeRef& type) {
    Marks marks;
    bool leaf = false;
    if (after == nullptr || before == nullptr) {
      leaf = As(type.AtomFor(before == nullptr ? *after : *before), before, after, type, marks);
    } else {
      // A JSON null is compatible with any type.
      const Atom was = type.AtomFor(*before);
      const Atom is = type.AtomFor(*after);
      if (was != is) As(was, before, after, type, marks);
      leaf = As(is, before, after, type, marks);
    }
    if (!leaf) {
      marks.added = marks.added || before == nullptr;
      marks.removed = marks.removed || after == nullptr;
    }
    return marks;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  using Copies = std::map<PathElement, std::pair<std::vector<const json*>, std::vector<const json*>>>;

  static bool Leaf(const json* before, const json* after, Marks& marks) {
    if (before == nullptr) {
      marks.added = true;
    } else if (after == nullptr) {
      marks.removed = true;
    } else if (*before != *after) {
      marks.modified = true;
    }
    return true;
  }

  /// True if compared as a whole.
  bool As(Atom atom, const json* before, const json* after, const TypeRef& type, Marks& marks) {
    if (atom == Atom::kMap) {
      const json* was = before != nullptr && before->is_object() ? before : nullptr;
      const json* is = after != nullptr && after->is_object() ? after : nullptr;
      const bool empty = (was == nullptr || was->empty()) && (is == nullptr || is->empty());
      if (type.AtomicMap() || empty) return Leaf(before, after, marks);
      Maps(was, is, type, marks.behind);
      return false;
    }
    if (atom == Atom::kList) {
      const json* was = before != nullptr && before->is_array() ? before : nullptr;
      const json* is = after != nullptr && after->is_array() ? after : nullptr;
      const bool empty = (was == nullptr || was->empty()) && (is == nullptr || is->empty());
      if (type.AtomicList() || empty) return Leaf(before, after, marks);
      Lists(was, is, type, marks.behind);
      return false;
    }
    return Leaf(before, after, marks);
  }

  void Maps(const json* before, const json* after, const TypeRef& type, FieldComparison& out) {
    static const json::object_t none;
    const auto& was = before == nullptr ? none : before->get_ref<const json::object_t&>();
    const auto& is = after == nullptr ? none : after->get_ref<const json::object_t&>();
    auto i = was.begin();
    auto j = is.begin();
    while (i != was.end() || j != is.end()) {
      const int c = i == was.end() ? 1 : j == is.end() ? -1 : i->first.compare(j->first);
      const std::string& name = c <= 0 ? i->first : j->first;
      const json* a = c <= 0 ? &i->second : nullptr;
      const json* b = c >= 0 ? &j->second : nullptr;
      // Fast path: most of an object is unchanged.
      if (a == nullptr || b == nullptr || *a != *b) {
        Compare(a, b, type.MapItem(name)).AddTo(PathElement::Field(name), out);
      }
      if (c <= 0) ++i;
      if (c >= 0) ++j;
    }
  }

  bool Gather(const json* list, const TypeRef& type, Copies& copies,
              std::vector<const json*> Copies::mapped_type::*side) {
    if (list == nullptr) return true;
    for (std::size_t i = 0; i < list->size(); ++i) {
      Result<PathElement> element = ElementOf((*list)[i], type);
      if (!element) {
        if (!error_) error_ = Wrong("element " + std::to_string(i) + ": " + element.error().message);
        return false;
      }
      (copies[*std::move(element)].*side).push_back(&(*list)[i]);
    }
    return true;
  }

  void Lists(const json* before, const json* after, const TypeRef& type, FieldComparison& out) {
    Copies copies;
    if (!Gather(before, type, copies, &Copies::mapped_type::first) ||
        !Gather(after, type, copies, &Copies::mapped_type::second)) {
      return;
    }
    const TypeRef element_type = type.Element();
    for (auto& [element, sides] : copies) {
      const auto& [was, is] = sides;
      if (was.size() <= 1 && is.size() <= 1) {
        const json* a = was.empty() ? nullptr : was.front();
        const json* b = is.empty() ? nullptr : is.front();
        if (a == nullptr || b == nullptr || *a != *b) Compare(a, b, element_type).AddTo(element, out);
        continue;
      }
      // Duplicates count as one value without contents.
      Marks marks;
      if (was.size() >= 2 && is.size() >= 2) {
        marks.modified = !std::equal(was.begin(), was.end(), is.begin(), is.end(),
                                     [](const json* a, const json* b) { return *a == *b; });
      } else if (was.size() >= 2) {
        if (!is.empty()) marks = Compare(nullptr, is.front(), element_type);
        marks.removed = true;
      } else {
        if (!was.empty()) marks = Compare(was.front(), nullptr, element_type);
        marks.added = true;
      }
      std::move(marks).AddTo(element, out);
    }
  }

  std::optional<Error> error_;
};

// ---- Granular to atomic

/// `whole`: do not collapse the value itself.
void Reconcile(const FieldSet& fields, const TypeRef& type, bool whole, bool& collapse, FieldSet& out) {
  collapse = false;
  const bool atomic = (type.HasMap() && type.AtomicMap()) || (!type.HasMap() && type.HasList() && type.AtomicList());
  if (atomic && type.schema() != nullptr) {
    if (!whole && !fields.Empty()) {
      collapse = true;
      return;
    }
    out = fields;
    return;
  }
  for (const FieldSet::Node& node : fields.nodes()) {
    const bool field = node.element.kind == PathElement::Kind::kField;
    if (type.schema() == nullptr || node.behind.Empty() || (field && !type.HasMap()) || (!field && !type.HasList())) {
      out.Add(node.element, node.member, node.behind);
      continue;
    }
    const TypeRef of = field ? type.MapItem(node.element.name) : type.Element();
    bool collapsed = false;
    FieldSet behind;
    Reconcile(node.behind, of, false, collapsed, behind);
    out.Add(node.element, node.member || collapsed, collapsed ? FieldSet() : std::move(behind));
  }
}

}  // namespace

Result<PathElement> ElementOf(const json& element, const TypeRef& list) {
  const std::vector<std::string>& keys = list.Keys();
  if (keys.empty()) {
    if (element.is_object()) return Wrong("associative list without keys has an element that's a map type");
    if (element.is_array()) return Wrong("not supported: associative list with lists as elements");
    if (element.is_null()) return Wrong("associative list without keys has an element that's an explicit null");
    return PathElement::Value(element);
  }
  if (element.is_null()) return Wrong("associative list with keys may not have a null element");
  if (!element.is_object()) return Wrong("associative list with keys may not have non-map elements");
  KeyFields found;
  found.reserve(keys.size());
  for (const std::string& key : keys) {
    if (const auto it = element.find(key); it != element.end()) {
      found.emplace_back(key, *it);
    } else if (const json* otherwise = list.KeyDefault(key); otherwise != nullptr) {
      found.emplace_back(key, *otherwise);
    }
  }
  if (found.empty()) {
    return Wrong("associative list with keys has an element that omits all key fields " + Listed(keys) +
                 " (and doesn't have default values for any key fields)");
  }
  return PathElement::Key(std::move(found));
}

Result<void> ValidateTyped(const json& value, const TypeRef& type, Duplicates duplicates) {
  Validator validator(duplicates);
  validator.Check(value, type);
  return validator.Take();
}

Result<FieldSet> FieldsOf(const json& value, const TypeRef& type) {
  FieldSet set;
  bool member = false;
  Collect(value, type, member, set);
  return set;
}

Result<FieldComparison> CompareTyped(const json& before, const json& after, const TypeRef& type) {
  Comparer comparer;
  Marks marks = comparer.Compare(&before, &after, type);
  if (comparer.error()) return *comparer.error();
  return std::move(marks.behind);
}

FieldSet ReconciledWith(const FieldSet& fields, const TypeRef& type) {
  bool collapse = false;
  FieldSet out;
  Reconcile(fields, type, true, collapse, out);
  return out;
}

}  // namespace kinformer::apiserver
