#include "src/listwatch/storage/mvcc_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/listwatch/storage/key_prefix.h"

namespace kinformer::apiserver {
namespace {

// Readers release the owner's lock after this many keys or log entries.
constexpr int kKeysPerTurn = 1024;
constexpr int kChangesPerTurn = 4096;
constexpr std::size_t kEventsPerPart = 256;

}  // namespace

KeyValue ToKeyValue(const std::string& key, const MvccLog::Version& version) {
  return {.key = key,
          .value = version.value,
          .create_revision = version.create_revision,
          .mod_revision = version.mod_revision};
}

const MvccLog::Version* MvccLog::Record::At(Revision revision) const {
  if (now.mod_revision <= revision) return &now;
  const auto begin = older.begin() + static_cast<std::ptrdiff_t>(compacted);
  const auto after =
      std::upper_bound(begin, older.end(), revision, [](Revision r, const Version& v) { return r < v.mod_revision; });
  return after == begin ? nullptr : &*std::prev(after);
}

void MvccLog::Record::CompactBefore(Revision revision) {
  while (compacted < older.size() && older[compacted].mod_revision < revision) older[compacted++].value.reset();
  if (compacted * 2 < older.size()) return;
  older.erase(older.begin(), older.begin() + static_cast<std::ptrdiff_t>(compacted));
  compacted = 0;
  if (older.empty()) older.shrink_to_fit();
}

void MvccLog::Append(Position at, Bytes value) {
  Record& record = at->second;
  ++revision_;
  const Version before = record.now.value ? record.now : Version{};
  Version now{.value = std::move(value), .create_revision = 0, .mod_revision = revision_};
  if (now.value) now.create_revision = before.value ? before.create_revision : revision_;
  keys_ += now.value && !before.value ? 1 : 0;
  keys_ -= !now.value && before.value ? 1 : 0;
  if (record.now.mod_revision != 0) record.older.push_back(std::move(record.now));
  record.now = now;
  log_.push_back({.at = at, .now = std::move(now), .before = before});
  history_bytes_ += log_.back().HistoryBytes();
}

bool MvccLog::ReadSome(RangeRead& read) const {
  const RangeQuery& query = read.query;
  auto it = records_.lower_bound(read.from);
  for (int looked_at = 0; it != records_.end() && IsBelow(it->first, query.prefix); ++it, ++looked_at) {
    if (read.counted && query.limit != 0 && read.found >= query.limit) return false;
    if (looked_at == kKeysPerTurn) {
      read.from = it->first;
      return true;
    }
    const Version* const version = it->second.At(read.result.revision);
    if (version == nullptr || !version->value) continue;
    ++read.found;
    if (query.limit == 0 || read.found <= query.limit) read.result.items.push_back(ToKeyValue(it->first, *version));
  }
  return false;
}

Revision MvccLog::ReadChanges(std::string_view prefix, Revision from, std::vector<BackendEvent>& events) const {
  Revision revision = std::max(from, log_begin_);
  for (int looked_at = 0; revision <= revision_; ++revision, ++looked_at) {
    if (looked_at == kChangesPerTurn || events.size() == kEventsPerPart) break;
    const Change& change = log_[static_cast<std::size_t>(revision - log_begin_)];
    const std::string& key = change.at->first;
    if (!IsBelow(key, prefix)) continue;
    BackendEvent event;
    event.kind = change.now.value ? BackendEvent::Kind::kPut : BackendEvent::Kind::kDelete;
    event.now = ToKeyValue(key, change.now);
    if (change.before.value) event.before = ToKeyValue(key, change.before);
    events.push_back(std::move(event));
  }
  return revision;
}

bool MvccLog::Compact(Revision revision) {
  if (revision <= compacted_) return false;
  compacted_ = revision;
  return true;
}

bool MvccLog::DropOldest() {
  if (log_.empty() || log_begin_ > compacted_) return false;
  if (!pinned_.empty() && log_begin_ > *pinned_.begin()) return false;
  const Change change = std::move(log_.front());
  log_.pop_front();
  history_bytes_ -= change.HistoryBytes();
  Record& record = change.at->second;
  if (!record.now.value && record.now.mod_revision == log_begin_) {
    records_.erase(change.at);
  } else {
    record.CompactBefore(log_begin_);
  }
  ++log_begin_;
  return true;
}

void MvccLog::TrimTo(std::size_t max_history_bytes) {
  while (history_bytes_ > max_history_bytes && log_.size() > 1) {
    Compact(log_begin_);
    if (!DropOldest()) break;
  }
}

void MvccLog::Wipe() {
  log_.clear();
  records_.clear();
  keys_ = 0;
  revision_ = 1;
  compacted_ = 0;
  log_begin_ = 2;
  history_bytes_ = 0;
}

}  // namespace kinformer::apiserver
