#include "src/listwatch/storage/object_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kMetadata = "\"metadata\":{";

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes the members of a JSON object one by one.
class MemberWriter {
 public:
  explicit MemberWriter(std::string& out) : out_(out) {}
  void Write(std::string_view key, std::string_view raw) {
    if (std::exchange(any_, true)) out_ += ',';
    const bool plain = std::all_of(key.begin(), key.end(), [](char c) { return c >= ' ' && c != '"' && c != '\\'; });
    if (plain) {
      out_.append("\"").append(key).append("\":");
    } else {
      out_.append(Quoted(key)).append(":");
    }
    out_.append(raw);
  }

 private:
  std::string& out_;
  bool any_ = false;
};

using Members = std::vector<std::pair<std::string, Value>>;

bool IsLastOfItsName(const Members& members, std::size_t index) {
  return std::none_of(members.begin() + static_cast<std::ptrdiff_t>(index) + 1, members.end(),
                      [&](const auto& later) { return later.first == members[index].first; });
}

Value LastOf(const Members& members, std::string_view name) {
  const auto found =
      std::find_if(members.rbegin(), members.rend(), [&](const auto& member) { return member.first == name; });
  return found == members.rend() ? Value() : found->second;
}

/// The offset just after the opening brace of metadata. nullopt unless the text has EncodeObject's layout, with nothing
/// nested before metadata. Quotes inside strings are escaped, so a match is always a key.
std::optional<std::size_t> InsideMetadata(std::string_view text) {
  const std::size_t mark = text.find(kMetadata);
  if (mark == std::string_view::npos || mark == 0 || text.front() != '{') return std::nullopt;
  if (text.substr(1, mark - 1).find_first_of("{[") != std::string_view::npos) return std::nullopt;
  return mark + kMetadata.size();
}

Result<ObjectPtr> Spliced(std::string_view stored, std::size_t at, const std::string& version,
                          const ObjectOptions& options) {
  std::string text;
  text.reserve(stored.size() + version.size() + 24);
  text.append(stored.substr(0, at)).append("\"resourceVersion\":\"").append(version).append("\"");
  if (at < stored.size() && stored[at] != '}') text += ',';
  text.append(stored.substr(at));
  return Object::Parse(text, options);
}

/// Whether `api_version` ("example.com/v1") is another version of `kind`'s group. Always false for the core group.
bool IsOtherVersion(std::string_view api_version, const GroupVersionKind& kind) {
  if (api_version.size() <= kind.group.size() || kind.group.empty()) return false;
  if (!api_version.starts_with(kind.group) || api_version[kind.group.size()] != '/') return false;
  return api_version.substr(kind.group.size() + 1) != kind.version;
}

Result<ObjectPtr> InVersionOf(Result<ObjectPtr> object, const GroupVersionKind& kind, VersionConversion convert) {
  if (!object || !IsOtherVersion((*object)->ApiVersion(), kind) || (*object)->Kind() != kind.kind) return object;
  if (convert == nullptr) return WithApiVersion(**object, kind.ApiVersion());
  nlohmann::json json = (*object)->ToJson();
  convert(json);
  json["apiVersion"] = kind.ApiVersion();
  return Object::FromJson(json, {.keep_managed_fields = true});
}

}  // namespace

Result<ObjectPtr> WithApiVersion(const Object& object, std::string_view api_version) {
  const ObjectOptions options{.keep_managed_fields = true};
  const std::string_view text = object.Json();
  const std::string head = "{\"apiVersion\":" + Quoted(object.ApiVersion()) + ",";
  if (!text.starts_with(head)) {
    nlohmann::json json = object.ToJson();
    json["apiVersion"] = std::string(api_version);
    return Object::FromJson(json, options);
  }
  std::string changed = "{\"apiVersion\":" + Quoted(api_version) + ",";
  changed.reserve(changed.size() + text.size());
  changed.append(text.substr(head.size()));
  return Object::Parse(changed, options);
}

std::string EncodeObject(const Object& object) {
  const Members top = object.At("").Members();
  std::string out;
  out.reserve(object.Json().size());
  out += '{';
  MemberWriter writer(out);
  for (const std::string_view key : {"apiVersion", "kind"}) {
    if (const Value value = LastOf(top, key); value.Exists()) writer.Write(key, value.Raw());
  }
  const Members metadata = LastOf(top, "metadata").Members();
  writer.Write("metadata", "{");
  MemberWriter metadata_writer(out);
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const auto& [key, value] = metadata[i];
    if (key != "resourceVersion" && IsLastOfItsName(metadata, i)) metadata_writer.Write(key, value.Raw());
  }
  out += '}';

  for (std::size_t i = 0; i < top.size(); ++i) {
    const auto& [key, value] = top[i];
    if (key == "apiVersion" || key == "kind" || key == "metadata" || !IsLastOfItsName(top, i)) continue;
    writer.Write(key, value.Raw());
  }
  out += '}';
  return out;
}

Result<ObjectPtr> DecodeObject(std::string_view stored, Revision revision, const GroupVersionKind& kind,
                               VersionConversion convert) {
  const ObjectOptions options{.keep_managed_fields = true, .default_gvk = kind};
  const std::string version = std::to_string(revision);
  if (const std::optional<std::size_t> at = InsideMetadata(stored)) {
    Result<ObjectPtr> object = Spliced(stored, *at, version, options);
    if (object && (*object)->ResourceVersion() == version) return InVersionOf(std::move(object), kind, convert);
  }
  // Written by another program: in another order, or with a stored resourceVersion.
  const Result<ObjectPtr> foreign = Object::Parse(stored, options);
  if (!foreign) return foreign.error();
  const std::string ours = EncodeObject(**foreign);
  return InVersionOf(Spliced(ours, InsideMetadata(ours).value_or(0), version, options), kind, convert);
}

ObjectPtr MakeBookmark(const GroupVersionKind& kind, Revision revision, bool initial_events_end) {
  std::string text = "{\"kind\":" + Quoted(kind.kind) + ",\"apiVersion\":" + Quoted(kind.ApiVersion()) +
                     ",\"metadata\":{\"resourceVersion\":\"" + std::to_string(revision) + "\"";
  if (initial_events_end) text += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  text += "}}";
  return Object::Parse(text).value();
}

}  // namespace kinformer::apiserver
