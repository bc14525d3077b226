#include "src/processor/coalescing_queue.h"

#include <functional>
#include <iterator>
#include <utility>

namespace kinformer::internal {

using Kind = Notification::Kind;

std::size_t CoalescingQueue::KeyHash::operator()(const Key& key) const noexcept {
  const std::hash<std::string_view> hash;
  return hash(key.namespace_name) * 31 + hash(key.name);
}

CoalescingQueue::Key CoalescingQueue::KeyOf(const Entry& entry) {
  const ObjectPtr& object = Subject(entry.deletion ? *entry.deletion : *entry.change);
  return {object->Namespace(), object->Name()};
}

void CoalescingQueue::Count(const Entry& entry) {
  size_ += (entry.deletion ? 1u : 0u) + (entry.change ? 1u : 0u);
  if (entry.change && IsInitial(*entry.change)) ++initial_;
}

void CoalescingQueue::Uncount(const Entry& entry) {
  size_ -= (entry.deletion ? 1u : 0u) + (entry.change ? 1u : 0u);
  if (entry.change && IsInitial(*entry.change)) --initial_;
}

CoalescingQueue::Entry CoalescingQueue::Fold(Entry entry, Notification next) {
  if (next.kind == Kind::kDelete) {
    // A pending addition was never delivered: drop it together with its deletion.
    const bool handler_knows = entry.change && entry.change->kind != Kind::kAdd;
    if (!entry.deletion && handler_knows) {
      Notification& change = *entry.change;
      if (change.kind == Kind::kUpdate && change.before->Uid() != change.after->Uid()) {
        next.before = std::move(change.before);
        next.final_state_unknown = true;
      }
      entry.deletion = std::move(next);
    }
    entry.change.reset();
    return entry;
  }
  if (!entry.change) {
    // After a deletion, any later event is an addition for the handler.
    next.kind = Kind::kAdd;
    next.before = nullptr;
    entry.change = std::move(next);
    return entry;
  }
  Notification& change = *entry.change;
  if (change.kind == Kind::kSync && next.kind == Kind::kUpdate) {
    change.kind = Kind::kUpdate;
    change.before = std::move(next.before);
  } else if (change.kind == Kind::kSync) {
    change.before = next.after;
  }
  change.after = std::move(next.after);
  return entry;
}

void CoalescingQueue::Push(Notification notification) {
  const ObjectPtr subject = Subject(notification);
  const Key key{subject->Namespace(), subject->Name()};
  const auto found = last_.find(key);
  if (found == last_.end() || size_ < max_pending_) {
    Entry entry;
    (notification.kind == Kind::kDelete ? entry.deletion : entry.change) = std::move(notification);
    Count(entry);
    entries_.push_back(std::move(entry));
    // Erase first: an existing key holds views into the previous entry.
    if (found != last_.end()) last_.erase(found);
    last_.emplace(KeyOf(entries_.back()), std::prev(entries_.end()));
    return;
  }
  const Entries::iterator where = found->second;
  last_.erase(found);
  const std::size_t before = size_;
  Uncount(*where);
  Entry folded = Fold(std::move(*where), std::move(notification));
  if (folded.deletion || folded.change) {
    Count(folded);
    *where = std::move(folded);
    last_.emplace(KeyOf(*where), where);
  } else {
    entries_.erase(where);
  }
  coalesced_ += before + 1 - size_;
}

Notification CoalescingQueue::Pop() {
  const Entries::iterator first = entries_.begin();
  Uncount(*first);
  const auto found = last_.find(KeyOf(*first));
  const bool is_last = found != last_.end() && found->second == first;
  if (is_last) last_.erase(found);
  if (first->deletion && first->change) {
    Notification deletion = std::move(*first->deletion);
    first->deletion.reset();
    Count(*first);
    if (is_last) last_.emplace(KeyOf(*first), first);
    return deletion;
  }
  Notification notification = std::move(first->deletion ? *first->deletion : *first->change);
  entries_.pop_front();
  // A hash table keeps its buckets after a burst; a new one frees them.
  if (entries_.empty() && last_.bucket_count() > 1024) last_ = {};
  return notification;
}

}  // namespace kinformer::internal
