#include "src/apiserver/apply/field_set.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Limits the recursion: FieldsV1 written by us are no deeper than the objects that we read.
constexpr std::size_t kMaxFieldSetDepth = 512;

Result<void> Read(const json& fields, std::size_t depth, bool& member, FieldSet& out) {
  if (depth > kMaxFieldSetDepth)
    return Error{.code = ErrorCode::kTooLarge, .message = "managed fields are nested too deeply"};
  if (!fields.is_object() && !fields.is_null()) {
    return Error{.code = ErrorCode::kMalformed, .message = "managed fields must be objects in objects"};
  }
  member = false;
  if (fields.is_object()) {
    for (auto it = fields.begin(); it != fields.end(); ++it) {
      if (it.key() == ".") {
        member = true;
        continue;
      }
      Result<std::optional<PathElement>> element = PathElement::FromText(it.key());
      if (!element) return std::move(element).error();
      if (!*element) continue;
      bool child_member = false;
      FieldSet behind;
      if (Result<void> read = Read(*it, depth + 1, child_member, behind); !read) return read;
      out.Merge(**std::move(element), child_member, std::move(behind));
    }
  }
  member = member || out.Empty();
  return {};
}

void AppendText(const FieldSet& set, bool self, std::string& out) {
  out += '{';
  bool first = true;
  const auto key = [&](const std::string& text) {
    if (!std::exchange(first, false)) out += ',';
    out += json(text).dump(-1, ' ', false, json::error_handler_t::replace) + ":";
  };
  if (self && !set.Empty()) {
    key(".");
    out += "{}";
  }
  for (const FieldSet::Node& node : set.nodes()) {
    key(node.element.ToText());
    AppendText(node.behind, node.member, out);
  }
  out += '}';
}

json Written(const FieldSet& set, bool self) {
  json out = json::object();
  auto& members = out.get_ref<json::object_t&>();
  if (self && !set.Empty()) members.emplace_hint(members.end(), ".", json::object());
  for (const FieldSet::Node& node : set.nodes()) {
    members.emplace_hint(members.end(), node.element.ToText(), Written(node.behind, node.member));
  }
  return out;
}

void Visit(const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& each) {
  for (const FieldSet::Node& node : set.nodes()) {
    if (!node.member) continue;
    path.push_back(node.element);
    each(path);
    path.pop_back();
  }
  for (const FieldSet::Node& node : set.nodes()) {
    if (node.behind.Empty()) continue;
    path.push_back(node.element);
    Visit(node.behind, path, each);
    path.pop_back();
  }
}

}  // namespace

FieldSet::FieldSet(std::initializer_list<FieldPath> paths) {
  for (const FieldPath& path : paths) Insert(path);
}

Result<FieldSet> FieldSet::FromJson(const json& fields) {
  FieldSet set;
  bool member = false;
  if (Result<void> read = Read(fields, 0, member, set); !read) return std::move(read).error();
  return set;
}

json FieldSet::ToJson() const { return Written(*this, false); }

std::string FieldSet::ToText() const {
  std::string out;
  AppendText(*this, false, out);
  return out;
}

std::size_t FieldSet::Size() const {
  std::size_t size = 0;
  for (const Node& node : nodes_) size += (node.member ? 1 : 0) + node.behind.Size();
  return size;
}

std::vector<FieldSet::Node>::const_iterator FieldSet::LowerBound(const PathElement& element) const {
  // Fast path: most elements are added in order.
  if (nodes_.empty() || nodes_.back().element < element) return nodes_.end();
  return std::lower_bound(nodes_.begin(), nodes_.end(), element,
                          [](const Node& node, const PathElement& wanted) { return node.element < wanted; });
}

FieldSet::Node& FieldSet::Descend(const PathElement& element) {
  const auto at = LowerBound(element);
  if (at != nodes_.end() && at->element == element) return nodes_[static_cast<std::size_t>(at - nodes_.begin())];
  return *nodes_.insert(at, Node{.element = element});
}

void FieldSet::Insert(const FieldPath& path) {
  FieldSet* set = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Node& node = set->Descend(path[i]);
    if (i + 1 == path.size()) node.member = true;
    set = &node.behind;
  }
}

void FieldSet::Add(PathElement element, bool member, FieldSet behind) {
  if (!member && behind.Empty()) return;
  const auto at = LowerBound(element);
  nodes_.insert(at, Node{.element = std::move(element), .member = member, .behind = std::move(behind)});
}

void FieldSet::Merge(PathElement element, bool member, FieldSet behind) {
  if (!member && behind.Empty()) return;
  const auto at = LowerBound(element);
  if (at == nodes_.end() || !(at->element == element)) return Add(std::move(element), member, std::move(behind));
  Node& node = nodes_[static_cast<std::size_t>(at - nodes_.begin())];
  node.member = node.member || member;
  node.behind = node.behind.Empty() ? std::move(behind) : node.behind.Union(behind);
}

const FieldSet::Node* FieldSet::Find(const PathElement& element) const {
  const auto at = LowerBound(element);
  return at != nodes_.end() && at->element == element ? &*at : nullptr;
}

const FieldSet::Node* FieldSet::FindField(std::string_view name) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), name, [](const Node& node, std::string_view wanted) {
    return node.element.kind == PathElement::Kind::kField && node.element.name < wanted;
  });
  const bool found = at != nodes_.end() && at->element.kind == PathElement::Kind::kField && at->element.name == name;
  return found ? &*at : nullptr;
}

const FieldSet& FieldSet::Behind(const PathElement& element) const {
  static const FieldSet empty;
  const Node* node = Find(element);
  return node == nullptr ? empty : node->behind;
}

bool FieldSet::Has(const FieldPath& path) const {
  const FieldSet* set = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Node* node = set->Find(path[i]);
    if (node == nullptr) return false;
    if (i + 1 == path.size()) return node->member;
    set = &node->behind;
  }
  return false;
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  if (Empty()) return other;
  if (other.Empty()) return *this;
  FieldSet out;
  out.nodes_.reserve(std::max(nodes_.size(), other.nodes_.size()));
  auto i = nodes_.begin();
  auto j = other.nodes_.begin();
  while (i != nodes_.end() && j != other.nodes_.end()) {
    const int c = i->element.Compare(j->element);
    if (c < 0) {
      out.nodes_.push_back(*i++);
    } else if (c > 0) {
      out.nodes_.push_back(*j++);
    } else {
      out.nodes_.push_back(
          {.element = i->element, .member = i->member || j->member, .behind = i->behind.Union(j->behind)});
      ++i;
      ++j;
    }
  }
  out.nodes_.insert(out.nodes_.end(), i, nodes_.end());
  out.nodes_.insert(out.nodes_.end(), j, other.nodes_.end());
  return out;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet out;
  auto i = nodes_.begin();
  auto j = other.nodes_.begin();
  while (i != nodes_.end() && j != other.nodes_.end()) {
    const int c = i->element.Compare(j->element);
    if (c < 0) {
      ++i;
    } else if (c > 0) {
      ++j;
    } else {
      out.Add(i->element, i->member && j->member, i->behind.Intersection(j->behind));
      ++i;
      ++j;
    }
  }
  return out;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  if (Empty() || other.Empty()) return *this;
  FieldSet out;
  out.nodes_.reserve(nodes_.size());
  auto j = other.nodes_.begin();
  for (const Node& node : nodes_) {
    while (j != other.nodes_.end() && j->element < node.element) ++j;
    if (j == other.nodes_.end() || !(j->element == node.element)) {
      out.nodes_.push_back(node);
    } else {
      out.Add(node.element, node.member && !j->member, node.behind.Difference(j->behind));
    }
  }
  return out;
}

void FieldSet::Subtract(const FieldSet& other) {
  auto j = other.nodes_.begin();
  bool emptied = false;
  for (Node& node : nodes_) {
    while (j != other.nodes_.end() && j->element < node.element) ++j;
    if (j == other.nodes_.end()) break;
    if (!(j->element == node.element)) continue;
    node.member = node.member && !j->member;
    node.behind.Subtract(j->behind);
    emptied = emptied || (!node.member && node.behind.Empty());
  }
  if (emptied) std::erase_if(nodes_, [](const Node& node) { return !node.member && node.behind.Empty(); });
}

void FieldSet::EraseField(std::string_view name) {
  std::erase_if(nodes_, [&](const Node& node) {
    return node.element.kind == PathElement::Kind::kField && node.element.name == name;
  });
}

FieldSet FieldSet::RecursiveDifference(const FieldSet& other) const {
  if (Empty() || other.Empty()) return *this;
  FieldSet out;
  out.nodes_.reserve(nodes_.size());
  auto j = other.nodes_.begin();
  for (const Node& node : nodes_) {
    while (j != other.nodes_.end() && j->element < node.element) ++j;
    if (j == other.nodes_.end() || !(j->element == node.element)) {
      out.nodes_.push_back(node);
    } else if (!j->member) {
      out.Add(node.element, node.member, node.behind.RecursiveDifference(j->behind));
    }
  }
  return out;
}

FieldSet FieldSet::Leaves() const {
  FieldSet out;
  out.nodes_.reserve(nodes_.size());
  for (const Node& node : nodes_) out.Add(node.element, node.behind.Empty(), node.behind.Leaves());
  return out;
}

FieldSet FieldSet::EnsureNamedFieldsAreMembers(const TypeRef& type) const {
  FieldSet out;
  out.nodes_.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    bool member = node.member;
    TypeRef of;
    if (node.element.kind == PathElement::Kind::kField && type.HasMap()) {
      member = member || type.Field(node.element.name) != nullptr;
      of = type.MapItem(node.element.name);
    } else if (node.element.kind == PathElement::Kind::kKey && type.HasList()) {
      of = type.Element();
    }
    out.Add(node.element, member, node.behind.EnsureNamedFieldsAreMembers(of));
  }
  return out;
}

void FieldSet::ForEach(const std::function<void(const FieldPath&)>& each) const {
  FieldPath path;
  Visit(*this, path, each);
}

bool FieldSet::operator==(const FieldSet& other) const {
  return std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(), other.nodes_.end(),
                    [](const Node& a, const Node& b) {
                      return a.member == b.member && a.element == b.element && a.behind == b.behind;
                    });
}

}  // namespace kinformer::apiserver
