#include "src/transport/exchange.h"

#include <utility>

namespace kinformer::internal {
namespace {

// Small pieces are joined up to this size: a chunk costs an allocation and a wake-up of its reader.
constexpr std::size_t kJoinBelow = 64U << 10U;

}  // namespace

void Exchange::PushHead(ResponseHead head) {
  {
    const MutexLock lock(mutex_);
    parts_.emplace_back(std::move(head));
  }
  Notify();
}

bool Exchange::PushBody(std::string_view bytes) {
  {
    const MutexLock lock(mutex_);
    // One chunk is always taken, whatever its size: an empty queue that is "full" would never move.
    if (body_bytes_ > 0 && body_bytes_ + bytes.size() > capacity_) {
      full_ = true;
      return false;
    }
    auto* last = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
    if (last != nullptr && last->size() + bytes.size() <= kJoinBelow) {
      // Where pieces are joined, more follow: room for all at once, instead of growing step by step.
      if (last->capacity() < last->size() + bytes.size()) last->reserve(kJoinBelow);
      last->append(bytes);
    } else {
      std::string chunk = std::exchange(spare_, {});
      chunk.assign(bytes);
      parts_.emplace_back(std::move(chunk));
    }
    body_bytes_ += bytes.size();
  }
  Notify();
  return true;
}

void Exchange::Finish(Result<void> outcome) {
  {
    const MutexLock lock(mutex_);
    if (outcome_) return;
    outcome_ = std::move(outcome);
  }
  Notify();
}

Result<Exchange::Taken> Exchange::TryNext() {
  const MutexLock lock(mutex_);
  if (parts_.empty()) {
    if (!outcome_) return Taken{};
    if (!outcome_->ok()) return outcome_->error();
    return Taken{.part = ResponseEnd{}};
  }
  Taken taken{.part = std::move(parts_.front())};
  parts_.pop_front();
  if (const auto* chunk = std::get_if<std::string>(&*taken.part)) body_bytes_ -= chunk->size();
  // Resumed at half, so that a reader at the edge does not wake the I/O thread for every chunk.
  if (full_ && body_bytes_ <= capacity_ / 2) {
    full_ = false;
    taken.resume = true;
  }
  return taken;
}

void Exchange::NotifyWhenReady(std::function<void()> ready) {
  {
    const MutexLock lock(notify_mutex_);
    ready_ = std::move(ready);
    if (!ready_) return;
  }
  bool something = false;
  {
    const MutexLock lock(mutex_);
    something = !parts_.empty() || outcome_.has_value();
  }
  if (something) Notify();
}

void Exchange::Recycle(std::string chunk) {
  // A stream that has become quiet shall not keep what it needed when it was busy.
  if (chunk.size() < kJoinBelow / 2 || chunk.capacity() > 2 * kJoinBelow) return;
  chunk.clear();
  const MutexLock lock(mutex_);
  spare_.swap(chunk);
}

void Exchange::Notify() {
  const MutexLock lock(notify_mutex_);
  if (auto ready = std::exchange(ready_, nullptr)) ready();
}

}  // namespace kinformer::internal
