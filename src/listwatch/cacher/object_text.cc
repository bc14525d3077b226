#include "src/listwatch/cacher/object_text.h"

#include <charconv>
#include <utility>

namespace kinformer::apiserver {
namespace {

/// The cache keeps objects exactly as stored.
ObjectOptions AsStored() { return {.keep_managed_fields = true}; }

}  // namespace

std::string KeyOf(std::string_view namespace_name, std::string_view name) {
  std::string key;
  key.reserve(namespace_name.size() + 1 + name.size());
  if (!namespace_name.empty()) key.append(namespace_name).push_back('/');
  key.append(name);
  return key;
}

std::optional<Revision> ParseRevision(std::string_view text) {
  Revision revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc{} || end != text.data() + text.size() || revision < 0) return std::nullopt;
  return revision;
}

ObjectPtr WithRevision(const ObjectPtr& object, Revision revision) {
  const std::string_view text = object->Json();
  const std::string_view old = object->At("/metadata/resourceVersion").Raw();
  if (old.empty()) return object;
  const auto offset = static_cast<std::size_t>(old.data() - text.data());
  std::string changed;
  changed.reserve(text.size() + 20);
  changed.append(text.substr(0, offset)).append("\"").append(std::to_string(revision)).append("\"");
  changed.append(text.substr(offset + old.size()));
  Result<ObjectPtr> parsed = Object::Parse(changed, AsStored());
  return parsed ? *std::move(parsed) : object;
}

}  // namespace kinformer::apiserver
