#ifndef KINFORMER_TEST_STORE_STORE_TEST_OBJECTS_H_
#define KINFORMER_TEST_STORE_STORE_TEST_OBJECTS_H_

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/store/indexer.h"

namespace kinformer::testing {

struct PodSpec {
  std::string namespace_name = "default";
  std::string name{};
  std::string node{};
  std::string version = "1";
  std::string uid{};  ///< "uid-<name>" if empty.
  std::string app{};  ///< The label "app"; none if empty.
};

inline ObjectPtr MakePod(const PodSpec& pod) {
  std::string json = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + pod.name + '"';
  if (!pod.namespace_name.empty()) json += R"(,"namespace":")" + pod.namespace_name + '"';
  if (!pod.version.empty()) json += R"(,"resourceVersion":")" + pod.version + '"';
  json += R"(,"uid":")" + (pod.uid.empty() ? "uid-" + pod.name : pod.uid) + '"';
  if (!pod.app.empty()) json += R"(,"labels":{"app":")" + pod.app + "\"}";
  json += R"(},"spec":{"nodeName":")" + pod.node + R"("}})";
  return Object::Parse(json).value();
}

/// Indexes by spec.nodeName. Pods without one are not indexed.
inline Keys ByNode(const ObjectPtr& pod) {
  std::string node = pod->At("/spec/nodeName").StringOr("");
  if (node.empty()) return {};
  return {std::move(node)};
}

/// Indexes by each comma-separated part of spec.nodeName.
inline Keys ByParts(const ObjectPtr& pod) {
  Keys keys;
  const std::string text = pod->At("/spec/nodeName").StringOr("");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    keys.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return keys;
}

inline internal::Delta Set(ObjectPtr object) {
  return {.kind = internal::Delta::Kind::kUpdate, .object = std::move(object)};
}
inline internal::Delta Erase(ObjectPtr object) {
  return {.kind = internal::Delta::Kind::kDelete, .object = std::move(object)};
}
inline internal::Delta Bookmark(std::string version) {
  return {.kind = internal::Delta::Kind::kBookmark, .resource_version = std::move(version)};
}

/// The objects as "default/a@1", sorted.
inline std::vector<std::string> Shown(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> shown;
  for (const ObjectPtr& object : objects) {
    shown.push_back(ToString(object->Key()) + "@" + std::string(object->ResourceVersion()));
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

/// "+default/a@1" for an addition, "-..." for a removal, "a@1>a@2" for an update, "." for no change.
inline std::string ShownChange(const ObjectPtr& before, const ObjectPtr& after) {
  const auto show = [](const ObjectPtr& object) { return Shown(std::vector<ObjectPtr>{object}).front(); };
  if (before != nullptr && after != nullptr) return show(before) + ">" + show(after);
  if (after != nullptr) return "+" + show(after);
  return before == nullptr ? "." : "-" + show(before);
}

/// What the deltas changed, given the previous states, in order.
inline std::vector<std::string> Shown(const std::vector<internal::Delta>& deltas,
                                      const std::vector<ObjectPtr>& previous) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    shown.push_back(ShownChange(previous.at(i), Removes(deltas[i]) ? nullptr : deltas[i].object));
  }
  return shown;
}

/// Removals first.
inline std::vector<std::string> Shown(const Replaced& replaced) {
  std::vector<std::string> shown;
  for (const ObjectPtr& object : replaced.removed) shown.push_back(ShownChange(object, nullptr));
  for (std::size_t i = 0; i < replaced.objects.size(); ++i) {
    shown.push_back(ShownChange(replaced.previous.at(i), replaced.objects[i]));
  }
  return shown;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_STORE_STORE_TEST_OBJECTS_H_
