#include "src/apiserver/apply/managed_fields.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/time.h>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// The manager into which the oldest entries are merged.
constexpr std::string_view kOldUpdates = "ancient-changes";

Error Bad(std::string message) { return {.code = ErrorCode::kMalformed, .message = std::move(message)}; }

Result<std::string> Text(const json& entry, const char* member) {
  const auto it = entry.find(member);
  if (it == entry.end() || it->is_null()) return std::string();
  if (!it->is_string()) return Bad(std::string(member) + " must be a string");
  return it->get<std::string>();
}

Result<ManagedEntry> ReadEntry(const json& from, std::size_t index) {
  if (!from.is_object()) return Bad("managed fields entry must be an object");
  ManagedEntry entry;
  std::string operation;
  std::string type;
  for (const auto& [member, into] : {std::pair<const char*, std::string*>{"manager", &entry.manager},
                                     {"operation", &operation},
                                     {"apiVersion", &entry.api_version},
                                     {"subresource", &entry.subresource},
                                     {"time", &entry.time},
                                     {"fieldsType", &type}}) {
    Result<std::string> text = Text(from, member);
    if (!text) return std::move(text).error();
    *into = *std::move(text);
  }
  if (operation != "Apply" && operation != "Update") return Bad("operation must be `Apply` or `Update`");
  entry.applied = operation == "Apply";
  if (entry.api_version.empty()) return Bad("apiVersion must not be empty");
  if (type.empty()) return Bad("missing fieldsType in managed fields entry " + std::to_string(index));
  if (type != "FieldsV1") {
    return Bad("invalid fieldsType \"" + type + "\" in managed fields entry " + std::to_string(index));
  }
  if (!entry.time.empty() && !ParseTimestamp(entry.time)) return Bad("time is not a valid RFC 3339 timestamp");
  if (const auto fields = from.find("fieldsV1"); fields != from.end()) {
    Result<FieldSet> set = FieldSet::FromJson(*fields);
    if (!set) return std::move(set).error();
    entry.fields = *std::move(set);
  }
  return entry;
}

std::int64_t Seconds(const std::string& time) {
  const std::optional<Timestamp> at = time.empty() ? std::nullopt : ParseTimestamp(time);
  return at ? std::chrono::duration_cast<std::chrono::seconds>(at->time_since_epoch()).count() : 0;
}

}  // namespace

bool ManagedEntry::SameManager(const ManagedEntry& other) const {
  return manager == other.manager && applied == other.applied && subresource == other.subresource &&
         (applied || api_version == other.api_version);
}

std::string ManagedEntry::Identity() const {
  std::string out = R"({"manager":)" + json(manager).dump(-1, ' ', false, json::error_handler_t::replace);
  out += applied ? R"(,"operation":"Apply")" : R"(,"operation":"Update")";
  if (!applied) out += R"(,"apiVersion":")" + api_version + '"';
  if (!subresource.empty()) out += R"(,"subresource":")" + subresource + '"';
  return out + "}";
}

Result<ManagedFields> ManagedFields::FromJson(const json& managed_fields) {
  ManagedFields managed;
  if (managed_fields.is_null()) return managed;
  if (!managed_fields.is_array()) return Bad("managedFields must be a list");
  managed.entries_.reserve(managed_fields.size());
  for (std::size_t i = 0; i < managed_fields.size(); ++i) {
    Result<ManagedEntry> entry = ReadEntry(managed_fields[i], i);
    if (!entry) return std::move(entry).error();
    // If a manager has two entries, the later one wins.
    if (ManagedEntry* there = managed.Find(*entry); there != nullptr) {
      *there = *std::move(entry);
    } else {
      managed.entries_.push_back(*std::move(entry));
    }
  }
  return managed;
}

json ManagedFields::ToJson() const {
  std::vector<std::pair<std::int64_t, const ManagedEntry*>> sorted;
  sorted.reserve(entries_.size());
  for (const ManagedEntry& entry : entries_) sorted.emplace_back(Seconds(entry.time), &entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    if (a.second->applied != b.second->applied) return a.second->applied;
    if (a.first != b.first) return a.first < b.first;
    if (a.second->manager != b.second->manager) return a.second->manager < b.second->manager;
    if (a.second->api_version != b.second->api_version) return a.second->api_version < b.second->api_version;
    return a.second->subresource < b.second->subresource;
  });
  json out = json::array();
  for (const auto& [seconds, entry] : sorted) {
    json written = {{"manager", entry->manager},
                    {"operation", entry->applied ? "Apply" : "Update"},
                    {"apiVersion", entry->api_version},
                    {"fieldsType", "FieldsV1"}};
    if (!entry->time.empty()) written["time"] = entry->time;
    if (!entry->subresource.empty()) written["subresource"] = entry->subresource;
    written["fieldsV1"] = entry->fields.ToJson();
    out.push_back(std::move(written));
  }
  return out;
}

ManagedEntry* ManagedFields::Find(const ManagedEntry& like) {
  const auto it = std::find_if(entries_.begin(), entries_.end(),
                               [&](const ManagedEntry& entry) { return entry.SameManager(like); });
  return it == entries_.end() ? nullptr : &*it;
}

ManagedEntry& ManagedFields::Get(const ManagedEntry& like) {
  if (ManagedEntry* there = Find(like); there != nullptr) return *there;
  entries_.push_back({.manager = like.manager,
                      .applied = like.applied,
                      .api_version = like.api_version,
                      .subresource = like.subresource});
  return entries_.back();
}

void ManagedFields::DropEmpty() {
  std::erase_if(entries_, [](const ManagedEntry& entry) { return entry.fields.Empty(); });
}

void ManagedFields::Cap(std::size_t most) {
  std::size_t count = static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const ManagedEntry& entry) { return !entry.applied; }));
  if (count <= most) return;
  std::vector<ManagedEntry> updates;
  for (const ManagedEntry& entry : entries_) {
    if (!entry.applied) updates.push_back(entry);
  }
  std::sort(updates.begin(), updates.end(), [](const ManagedEntry& a, const ManagedEntry& b) {
    const std::int64_t at = Seconds(a.time);
    const std::int64_t bt = Seconds(b.time);
    return at != bt ? at < bt : a.Identity() < b.Identity();
  });
  const auto drop = [this](const ManagedEntry& like) {
    std::erase_if(entries_, [&](const ManagedEntry& entry) { return entry.SameManager(like); });
  };
  // The first entry of each version is held until there is a second one to merge it with.
  std::map<std::string, ManagedEntry> first;
  for (const ManagedEntry& update : updates) {
    if (count <= most) return;
    const auto [waiting, fresh] = first.emplace(update.api_version, update);
    if (fresh) continue;
    const ManagedEntry bucket{.manager = std::string(kOldUpdates), .api_version = update.api_version};
    if (Find(bucket) == nullptr) {
      drop(waiting->second);
      Get(bucket).fields = waiting->second.fields;
    }
    ManagedEntry& into = Get(bucket);
    into.fields = into.fields.Union(update.fields);
    into.time = update.time;
    if (!update.SameManager(bucket)) drop(update);
    --count;
  }
}

bool ResetsManagedFields(const json& managed_fields) {
  if (!managed_fields.is_array()) return false;
  if (managed_fields.empty()) return true;
  if (managed_fields.size() > 1 || !managed_fields.front().is_object()) return false;
  const json& entry = managed_fields.front();
  return std::all_of(entry.begin(), entry.end(), [](const json& member) {
    return member.is_null() || (member.is_string() && member.get_ref<const std::string&>().empty());
  });
}

}  // namespace kinformer::apiserver
