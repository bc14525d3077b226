#include "pod_table.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include "text.h"

namespace {

constexpr std::string_view kNames[] = {"changed", "name", "namespace", "age", "restarts", "status", "node"};

/// By the column alone; equal rows go by namespace and name.
std::strong_ordering Compare(const PodRow& a, const PodRow& b, SortOrder order) {
  switch (order) {
    case SortOrder::kChanged:  // the latest first
      return std::tie(b.version, b.changed) <=> std::tie(a.version, a.changed);
    case SortOrder::kName:
      return a.name <=> b.name;
    case SortOrder::kNamespace:
      return a.namespace_name <=> b.namespace_name;
    case SortOrder::kAge:  // the youngest first
      return b.created <=> a.created;
    case SortOrder::kRestarts:  // the most first
      return b.restarts <=> a.restarts;
    case SortOrder::kStatus:  // the worst first
      return std::tie(a.health, a.status) <=> std::tie(b.health, b.status);
    case SortOrder::kNode:
      return a.node <=> b.node;
  }
  return std::strong_ordering::equal;
}

}  // namespace

std::string_view NameOf(SortOrder order) { return kNames[static_cast<std::size_t>(order)]; }

SortOrder Next(SortOrder order) {
  return static_cast<SortOrder>((static_cast<std::size_t>(order) + 1) % std::size(kNames));
}

std::string KeyOf(const PodRow& row) { return row.namespace_name + "/" + row.name; }

void PodTable::Apply(Changes&& changes) {
  std::vector<const Entry*> changed;
  std::vector<std::string> gone;
  for (auto& [key, row] : changes) {
    const auto [found, added] = entries_.try_emplace(key);
    Entry& entry = found->second;
    if (!added) Count(entry.row, -1);
    entry.touched = true;
    if (row) {
      entry.row = *std::move(row);
      Count(entry.row, +1);
      changed.push_back(&entry);
    } else {
      gone.push_back(key);
    }
  }
  std::erase_if(shown_, [](const Entry* entry) { return entry->touched; });
  for (const std::string& key : gone) entries_.erase(key);
  for (auto& [key, row] : changes) {
    if (const auto found = entries_.find(key); found != entries_.end()) found->second.touched = false;
  }
  Show(std::move(changed));
}

void PodTable::SortBy(SortOrder order, bool reversed) {
  order_ = order;
  reversed_ = reversed;
  ShowAll();
}

void PodTable::FilterBy(std::string_view text) {
  filter_ = LowerCase(text);
  ShowAll();
}

std::optional<std::size_t> PodTable::Find(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !Matches(found->second.row)) return std::nullopt;
  const auto place = std::lower_bound(shown_.begin(), shown_.end(), &found->second,
                                      [this](const Entry* a, const Entry* b) { return Less(a, b); });
  return static_cast<std::size_t>(place - shown_.begin());
}

bool PodTable::Less(const Entry* a, const Entry* b) const {
  if (reversed_) std::swap(a, b);
  const std::strong_ordering by_column = Compare(a->row, b->row, order_);
  if (by_column != std::strong_ordering::equal) return by_column == std::strong_ordering::less;
  return std::tie(a->row.namespace_name, a->row.name) < std::tie(b->row.namespace_name, b->row.name);
}

bool PodTable::Matches(const PodRow& row) const {
  return filter_.empty() || ContainsIgnoringCase(KeyOf(row), filter_) || ContainsIgnoringCase(row.status, filter_) ||
         ContainsIgnoringCase(row.node, filter_);
}

void PodTable::Count(const PodRow& row, int by) {
  const auto add = [by](std::size_t& count) { count = by > 0 ? count + 1 : count - 1; };
  add(summary_.pods);
  add(summary_.by_phase[static_cast<std::size_t>(row.phase)]);
  if (row.IsNotReady()) add(summary_.not_ready);
  summary_.restarts += by * row.restarts;
}

void PodTable::Show(std::vector<const Entry*> entries) {
  const auto less = [this](const Entry* a, const Entry* b) { return Less(a, b); };
  std::erase_if(entries, [this](const Entry* entry) { return !Matches(entry->row); });
  std::sort(entries.begin(), entries.end(), less);
  const auto middle = static_cast<std::ptrdiff_t>(shown_.size());
  shown_.insert(shown_.end(), entries.begin(), entries.end());
  std::inplace_merge(shown_.begin(), shown_.begin() + middle, shown_.end(), less);
}

void PodTable::ShowAll() {
  shown_.clear();
  std::vector<const Entry*> entries;
  entries.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) entries.push_back(&entry);
  Show(std::move(entries));
}
