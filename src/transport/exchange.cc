#include "src/transport/exchange.h"

#include <utility>

namespace kinformer::internal {
namespace {

// Small pieces are joined up to this size: each chunk costs an allocation and a wake-up of its reader.
constexpr std::size_t kJoinBelow = 64U << 10U;

}  // namespace

void Exchange::PushHead(ResponseHead head) {
  {
    const MutexLock lock(mutex_);
    parts_.emplace_back(std::move(head));
  }
  ready_.Call();
}

bool Exchange::PushBody(std::string_view bytes) {
  {
    const MutexLock lock(mutex_);
    // An empty queue accepts a chunk of any size; otherwise a chunk larger than the capacity would never get through.
    if (body_bytes_ > 0 && body_bytes_ + bytes.size() > capacity_) {
      full_ = true;
      return false;
    }
    auto* last = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
    if (last != nullptr && last->size() + bytes.size() <= kJoinBelow) {
      // If pieces are joined, more will follow: reserve once instead of growing step by step.
      if (last->capacity() < last->size() + bytes.size()) last->reserve(kJoinBelow);
      last->append(bytes);
    } else {
      std::string chunk = std::exchange(spare_, {});
      chunk.assign(bytes);
      parts_.emplace_back(std::move(chunk));
    }
    body_bytes_ += bytes.size();
  }
  ready_.Call();
  return true;
}

void Exchange::Finish(Result<void> outcome) {
  {
    const MutexLock lock(mutex_);
    if (outcome_) return;
    outcome_ = std::move(outcome);
  }
  ready_.Call();
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
  // Resumed at the low-water mark, half, so that a reader at the limit does not wake the I/O thread for every chunk.
  if (full_ && body_bytes_ <= capacity_ / 2) {
    full_ = false;
    taken.resume = true;
  }
  return taken;
}

void Exchange::NotifyWhenReady(std::function<void()> ready) {
  const bool wanted = ready != nullptr;
  ready_.Set(std::move(ready));
  if (!wanted) return;
  {
    const MutexLock lock(mutex_);
    if (parts_.empty() && !outcome_) return;
  }
  ready_.Call();
}

void Exchange::Recycle(std::string chunk) {
  // A stream that has become quiet must not keep the buffers that it needed when it was busy.
  if (chunk.size() < kJoinBelow / 2 || chunk.capacity() > 2 * kJoinBelow) return;
  chunk.clear();
  const MutexLock lock(mutex_);
  spare_.swap(chunk);
}

}  // namespace kinformer::internal
