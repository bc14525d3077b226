#include <kinformer/codec/object.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/codec/block_scanner.h"
#include "src/codec/json_text.h"
#include "src/codec/object_builder.h"
#include "src/codec/object_rep.h"

namespace kinformer {
namespace {

/// A DOM built by the user may be deeper than a text may be. Serializing it is recursive, so check first.
bool DeeperThanAllowed(const nlohmann::json& json) {
  std::vector<std::pair<const nlohmann::json*, std::size_t>> open = {{&json, 1}};
  while (!open.empty()) {
    const auto [value, depth] = open.back();
    open.pop_back();
    if (!value->is_structured()) continue;
    if (depth > internal::kMaxJsonDepth) return true;
    for (const nlohmann::json& child : *value) {
      if (child.is_structured()) open.emplace_back(&child, depth + 1);
    }
  }
  return false;
}

}  // namespace

StringMap::StringMap(std::vector<Entry> entries) : entries_(std::move(entries)) {
  const auto by_key = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  const auto not_ascending = [](const Entry& a, const Entry& b) { return a.first >= b.first; };
  // Servers send them sorted and without duplicates.
  if (std::adjacent_find(entries_.begin(), entries_.end(), not_ascending) == entries_.end()) return;
  std::stable_sort(entries_.begin(), entries_.end(), by_key);
  // In reverse, so that the last of equal keys is kept.
  const auto same_key = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  const auto kept = std::unique(entries_.rbegin(), entries_.rend(), same_key);
  entries_.erase(entries_.begin(), kept.base());
}

std::optional<std::string_view> StringMap::Find(std::string_view key) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), key,
                                      [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  if (found == entries_.end() || found->first != key) return std::nullopt;
  return found->second;
}

Value internal::IndexedPart::At(std::string_view whole, std::string_view pointer) const {
  if (members.empty() || pointer.empty()) return MakeValue(text).At(pointer);
  const std::size_t token_end = std::min(pointer.find('/', 1), pointer.size());
  const std::string_view token = pointer.substr(1, token_end - 1);
  if (token.find_first_of("~\\") != std::string_view::npos) return MakeValue(text).At(pointer);
  const auto before = [whole](std::size_t end, char c) {
    while (whole[end - 1] != c) --end;
    return end - 1;
  };
  // In reverse: the last of equal keys counts.
  for (std::size_t i = members.size(); i-- > 0;) {
    const MemberPosition& member = members[i];
    const std::size_t key_end = before(before(member.value, ':'), '"');
    if (whole.substr(member.key, key_end - member.key) != token) continue;
    // The value is followed by a comma and the next key's quote, or by the part's closing brace; and by white space.
    const bool last = i + 1 == members.size();
    std::size_t end = last ? static_cast<std::size_t>(text.data() - whole.data()) + text.size() - 1
                           : before(before(members[i + 1].key, '"'), ',');
    while (IsJsonSpace(whole[end - 1])) --end;
    return MakeValue(whole.substr(member.value, end - member.value)).At(pointer.substr(token_end));
  }
  return Value();
}

Result<ObjectPtr> Object::Parse(std::string_view json, const ObjectOptions& options) {
  return internal::ParseObject(json, options, 0);
}

Result<ObjectPtr> Object::FromJson(const nlohmann::json& json, const ObjectOptions& options) {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  if (DeeperThanAllowed(json)) {
    error.message = "JSON value is nested deeper than " + std::to_string(internal::kMaxJsonDepth) + " levels";
    return error;
  }
  try {
    return Parse(json.dump(), options);
  } catch (const std::exception& e) {
    error.message = std::string("JSON value cannot be written: ") + e.what();
    return error;
  }
}

Object::Object(const Rep& rep) : rep_(&rep) {}
Object::~Object() = default;

std::string_view Object::ApiVersion() const { return rep_->api_version; }
std::string_view Object::Kind() const { return rep_->kind; }
std::string_view Object::Name() const { return rep_->name; }
std::string_view Object::GenerateName() const { return rep_->generate_name; }
std::string_view Object::Namespace() const { return rep_->namespace_name; }
std::string_view Object::Uid() const { return rep_->uid; }
std::string_view Object::ResourceVersion() const { return rep_->resource_version; }
std::int64_t Object::Generation() const { return rep_->generation; }
std::optional<std::string_view> Object::CreationTimestamp() const { return rep_->creation_timestamp; }
std::optional<std::string_view> Object::DeletionTimestamp() const { return rep_->deletion_timestamp; }
const StringMap& Object::Labels() const { return rep_->labels; }
const std::vector<OwnerReference>& Object::OwnerReferences() const { return rep_->owner_references; }
const std::vector<std::string_view>& Object::Finalizers() const { return rep_->finalizers; }
std::string_view Object::Json() const { return rep_->text; }
bool Object::IsPartial() const { return rep_->partial; }

GroupVersionKind Object::Gvk() const {
  GroupVersionKind gvk;
  const std::string_view api_version = rep_->api_version;
  const std::size_t slash = api_version.find('/');
  if (slash != std::string_view::npos) gvk.group = api_version.substr(0, slash);
  gvk.version = api_version.substr(slash == std::string_view::npos ? 0 : slash + 1);
  gvk.kind = rep_->kind;
  return gvk;
}

NamespacedName Object::Key() const { return {std::string(rep_->namespace_name), std::string(rep_->name)}; }

const StringMap& Object::Annotations() const {
  if (const auto* decoded = rep_->decoded_annotations.load(std::memory_order_acquire)) return decoded->map;
  static const StringMap none;
  if (rep_->annotations.empty()) return none;

  auto fresh = std::make_unique<Rep::DecodedAnnotations>();
  // Unescaping never makes a string longer: reserved once, so that views into it stay valid.
  if (rep_->annotations.find('\\') != std::string_view::npos) fresh->unescaped.reserve(rep_->annotations.size());
  const auto decode = [&fresh](std::string_view inside) {
    if (inside.find('\\') == std::string_view::npos) return inside;
    const std::size_t begin = fresh->unescaped.size();
    internal::AppendUnescaped(inside, fresh->unescaped);
    return std::string_view(fresh->unescaped).substr(begin);
  };
  std::vector<StringMap::Entry> entries;
  const std::string_view text = rep_->annotations;
  const auto skip_space = [text](std::size_t pos) {
    while (pos < text.size() && internal::IsJsonSpace(text[pos])) ++pos;
    return pos;
  };
  std::size_t pos = skip_space(1);
  while (pos < text.size() && text[pos] == '"') {
    const std::size_t key_end = internal::StringEnd(text, pos);
    const std::string_view key = text.substr(pos + 1, key_end - pos - 2);
    const std::size_t value_begin = skip_space(skip_space(key_end) + 1);
    const std::size_t value_end = internal::ValueEnd(text, value_begin);
    std::string_view value;  // Null reads as "".
    if (text[value_begin] == '"') value = text.substr(value_begin + 1, value_end - value_begin - 2);
    entries.emplace_back(decode(key), decode(value));
    pos = skip_space(value_end);
    if (pos < text.size() && text[pos] == ',') pos = skip_space(pos + 1);
  }
  fresh->map = StringMap(std::move(entries));

  Rep::DecodedAnnotations* expected = nullptr;
  if (rep_->decoded_annotations.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) {
    expected = fresh.release();
  }
  return expected->map;
}

Value Object::At(std::string_view pointer) const {
  for (const auto& [name, part] : {std::pair(std::string_view("/spec"), &rep_->spec), {"/status", &rep_->status}}) {
    if (!pointer.starts_with(name)) continue;
    const std::string_view below = pointer.substr(name.size());
    if (below.empty() || below.front() == '/') return part->At(rep_->text, below);
  }
  return Value(rep_->text).At(pointer);
}

nlohmann::json Object::ToJson() const { return Value(rep_->text).ToJson(); }

std::size_t Object::MemoryUsage() const {
  std::size_t bytes = rep_->block_bytes + rep_->unescaped.capacity();
  bytes += rep_->labels.size() * sizeof(StringMap::Entry);
  bytes += rep_->owner_references.capacity() * sizeof(OwnerReference);
  bytes += rep_->finalizers.capacity() * sizeof(std::string_view);
  if (const auto* decoded = rep_->decoded_annotations.load(std::memory_order_acquire)) {
    bytes += sizeof(*decoded) + decoded->unescaped.capacity() + decoded->map.size() * sizeof(StringMap::Entry);
  }
  return bytes;
}

Error Object::DecodeError(std::string_view what) const {
  Error error;
  error.code = ErrorCode::kMalformed;
  error.message = rep_->kind.empty() ? std::string("object") : std::string(rep_->kind);
  error.message.append(" ").append(ToString(Key())).append(" cannot be decoded: ").append(what);
  return error;
}

}  // namespace kinformer
