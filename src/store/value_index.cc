#include "src/store/value_index.h"

namespace kinformer::internal {

void ValueIndex::Reserve(std::size_t slots) {
  filings_.reserve(slots);
  first_of_slot_.reserve(slots);
}

const ValueIndex::Group* ValueIndex::Find(std::string_view value) const {
  const auto group = groups_.find(value);
  return group == groups_.end() ? nullptr : &group->second;
}

bool ValueIndex::Contains(const Group& group, Slot slot) const {
  if (slot >= first_of_slot_.size()) return false;
  Link link = first_of_slot_[slot];
  while (link != kEnd && &filings_[link].group->second != &group) link = filings_[link].next_of_slot;
  return link != kEnd;
}

std::vector<std::string> ValueIndex::Values() const {
  std::vector<std::string> values;
  values.reserve(groups_.size());
  for (const auto& [value, group] : groups_) values.push_back(value);
  return values;
}

template <typename Text>
bool ValueIndex::IsFiledUnder(Slot slot, std::span<const Text> values) const {
  Link link = slot < first_of_slot_.size() ? first_of_slot_[slot] : kEnd;
  for (const Text& value : values) {
    if (link == kEnd || filings_[link].group->first != value) return false;
    link = filings_[link].next_of_slot;
  }
  return link == kEnd;
}

template <typename Text>
void ValueIndex::FileAll(Slot slot, std::span<const Text> values) {
  if (IsFiledUnder(slot, values)) return;
  if (slot >= first_of_slot_.size()) first_of_slot_.resize(std::size_t{slot} + 1, kEnd);
  for (Link link = std::exchange(first_of_slot_[slot], kEnd); link != kEnd;) {
    const Link next = filings_[link].next_of_slot;
    Unlink(link);
    link = next;
  }
  Link last = kEnd;
  for (const Text& value : values) {
    const Link link = Append(slot, value);
    (last == kEnd ? first_of_slot_[slot] : filings_[last].next_of_slot) = link;
    last = link;
  }
}

ValueIndex::Link ValueIndex::Append(Slot slot, std::string_view value) {
  auto group = groups_.find(value);
  if (group == groups_.end()) group = groups_.try_emplace(std::string(value)).first;

  Link link = free_;
  if (link == kEnd) {
    link = static_cast<Link>(filings_.size());
    filings_.emplace_back();
  } else {
    free_ = filings_[link].next_of_slot;
  }
  Group& list = group->second;
  filings_[link] = {&*group, slot, list.last_, kEnd, kEnd};
  (list.last_ == kEnd ? list.first_ : filings_[list.last_].next) = link;
  list.last_ = link;
  ++list.size_;
  return link;
}

void ValueIndex::Unlink(Link link) {
  Filing& filing = filings_[link];
  Group& list = filing.group->second;
  (filing.previous == kEnd ? list.first_ : filings_[filing.previous].next) = filing.next;
  (filing.next == kEnd ? list.last_ : filings_[filing.next].previous) = filing.previous;
  if (--list.size_ == 0) groups_.erase(groups_.find(filing.group->first));
  filing = {};
  filing.next_of_slot = std::exchange(free_, link);
}

template void ValueIndex::FileAll(Slot slot, std::span<const std::string> values);
template void ValueIndex::FileAll(Slot slot, std::span<const std::string_view> values);

}  // namespace kinformer::internal
