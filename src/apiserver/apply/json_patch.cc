#include "src/apiserver/apply/json_patch.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::TextOf;
using nlohmann::json;

// The nesting limit of request bodies.
constexpr std::size_t kMaxPatchedDepth = 512;
// Total size of all copies: otherwise each copy could double the object.
constexpr std::size_t kMaxCopied = 3 << 20;

Error BadPatch(const std::string& why) {
  return {.code = ErrorCode::kServer, .message = why, .http_status = 400, .reason = "BadRequest"};
}

Error CannotDo(const std::string& why) {
  return {.code = ErrorCode::kServer,
          .message = "the server rejected our request due to an error in our request: " + why,
          .http_status = 422,
          .reason = "Invalid"};
}

/// Decodes a path segment: ~1 is a slash, ~0 a tilde.
std::string Unescaped(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    out += escape ? (part[++i] == '0' ? '~' : '/') : part[i];
  }
  return out;
}

/// The index that a path segment names in a list of `size`; negative ones count from the end.
std::optional<std::size_t> IndexOf(std::string_view part, std::size_t size) {
  long long index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
  if (index < 0) index += static_cast<long long>(size);
  if (index < 0 || index >= static_cast<long long>(size)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

/// The value under that name or index; null: none.
json* Find(json& container, const std::string& key) {
  if (container.is_object()) {
    const auto found = container.find(key);
    return found == container.end() ? nullptr : &*found;
  }
  const std::optional<std::size_t> index = IndexOf(key, container.size());
  return index ? &container[*index] : nullptr;
}

/// The target of a path: the container, and the name or index in it, which need not exist.
struct Place {
  json* container = nullptr;
  std::string key{};
};

std::optional<Place> PlaceOf(json& object, std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return std::nullopt;
  path.remove_prefix(first + 1);
  Place place{.container = &object};
  while (true) {
    const std::size_t end = path.find('/');
    place.key = Unescaped(path.substr(0, end));
    if (end == std::string_view::npos) return place;
    place.container = Find(*place.container, place.key);
    if (place.container == nullptr || !place.container->is_structured()) return std::nullopt;
    path.remove_prefix(end + 1);
  }
}

bool Add(const Place& place, json value) {
  json& container = *place.container;
  if (container.is_object()) {
    container[place.key] = std::move(value);
    return true;
  }
  if (place.key == "-") {
    container.push_back(std::move(value));
    return true;
  }
  const std::optional<std::size_t> index = IndexOf(place.key, container.size() + 1);
  if (!index) return false;
  container.insert(container.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return true;
}

bool Remove(const Place& place) {
  json& container = *place.container;
  if (container.is_object()) return container.erase(place.key) > 0;
  const std::optional<std::size_t> index = IndexOf(place.key, container.size());
  if (!index) return false;
  container.erase(*index);
  return true;
}

/// Iterative: the value may be arbitrarily deep.
bool IsTooDeep(const json& value) {
  struct Level {
    json::const_iterator next;
    json::const_iterator end;
  };
  std::vector<Level> levels;
  if (value.is_structured()) levels.push_back({value.begin(), value.end()});
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.end) {
      levels.pop_back();
      continue;
    }
    const json& child = *level.next;
    ++level.next;
    if (!child.is_structured()) continue;
    if (levels.size() >= kMaxPatchedDepth) return true;
    levels.push_back({child.begin(), child.end()});
  }
  return false;
}

class Patcher {
 public:
  explicit Patcher(json object) : object_(std::move(object)) {}

  Result<void> Do(const json& operation) {
    if (!operation.is_object()) return BadPatch("error decoding patch: each operation must be an object");
    for (const char* name : {"op", "path", "from"}) {
      const auto field = operation.find(name);
      if (field != operation.end() && !field->is_string() && !field->is_null()) {
        return BadPatch("error decoding patch: " + std::string(name) + " must be a string");
      }
    }
    op_ = TextOf(operation, "op");
    path_ = TextOf(operation, "path");
    if (op_ == "move" || op_ == "copy") return Transfer(TextOf(operation, "from"));
    const auto value = operation.find("value");
    const json& wanted = value == operation.end() ? null_ : *value;
    if (op_ == "test" && path_.empty()) return object_ == wanted ? Result<void>() : TestFailed();
    if (op_ == "replace" && path_.empty()) return ReplaceAll(wanted);
    if (op_ != "add" && op_ != "remove" && op_ != "replace" && op_ != "test") {
      return CannotDo("Unexpected kind: " + op_);
    }
    const std::optional<Place> place = PlaceOf(object_, path_);
    if (!place) return MissingPath(path_);
    if (op_ == "add") return Add(*place, wanted) ? Result<void>() : MissingPath(path_);
    if (op_ == "remove") return Remove(*place) ? Result<void>() : MissingPath(path_);
    json* found = Find(*place->container, place->key);
    // An absent field counts as null; a list element must exist.
    if (found == nullptr && !place->container->is_object()) return MissingPath(path_);
    if (op_ == "test") return (found == nullptr ? null_ : *found) == wanted ? Result<void>() : TestFailed();
    if (found != nullptr) {
      *found = wanted;
      return {};
    }
    return Add(*place, wanted) ? Result<void>() : MissingPath(path_);
  }

  Result<json> Finish() && {
    if (!object_.is_object()) return CannotDo("the result is not an object");
    if (IsTooDeep(object_)) return TooDeep();
    return std::move(object_);
  }

 private:
  Error MissingPath(const std::string& path) const {
    return CannotDo(op_ + " operation does not apply: doc is missing path: \"" + path + "\": missing value");
  }
  Error TestFailed() const { return CannotDo("testing value " + path_ + " failed: test failed"); }
  static Error TooDeep() {
    return CannotDo("the object would be nested deeper than " + std::to_string(kMaxPatchedDepth));
  }

  Result<void> ReplaceAll(const json& value) {
    if (!value.is_structured()) return CannotDo("replace operation value must be object or array");
    object_ = value;
    return {};
  }

  Result<void> Transfer(const std::string& from) {
    const std::optional<Place> source = PlaceOf(object_, from);
    if (!source) return MissingPath(from);
    json* found = Find(*source->container, source->key);
    json value;
    if (op_ == "move") {
      if (found == nullptr) return MissingPath(from);
      value = std::move(*found);
      Remove(*source);
    } else if (found != nullptr) {
      // Checked before measuring and copying, which recurse.
      if (IsTooDeep(*found)) return TooDeep();
      copied_ += found->dump(-1, ' ', false, json::error_handler_t::replace).size();
      if (copied_ > kMaxCopied) {
        return CannotDo("unable to complete the copy, the accumulated size increase of copy is " +
                        std::to_string(copied_) + ", exceeding the limit " + std::to_string(kMaxCopied));
      }
      value = *found;
    } else if (!source->container->is_object()) {
      return MissingPath(from);
    }
    const std::optional<Place> target = PlaceOf(object_, path_);
    return target && Add(*target, std::move(value)) ? Result<void>() : MissingPath(path_);
  }

  const json null_{};
  json object_;
  std::size_t copied_ = 0;
  // The current operation.
  std::string op_{};
  std::string path_{};
};

}  // namespace

Result<json> ApplyJsonPatch(json object, const json& patch) {
  if (!patch.is_array()) return BadPatch("error decoding patch: a JSON patch is a list of operations");
  Patcher patcher(std::move(object));
  for (const json& operation : patch) {
    const Result<void> done = patcher.Do(operation);
    if (!done) return done.error();
  }
  return std::move(patcher).Finish();
}

}  // namespace kinformer::apiserver
