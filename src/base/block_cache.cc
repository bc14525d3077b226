#include "src/base/block_cache.h"

#include <array>
#include <atomic>
#include <new>

#include "src/base/mutex.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kStep = 128;
constexpr std::size_t kSmallest = 1U << 10U;
constexpr std::size_t kLargest = 32U << 10U;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRecycles = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kRecycles = false;
#else
constexpr bool kRecycles = true;
#endif
#else
constexpr bool kRecycles = true;
#endif

/// Stored in the block itself.
struct FreeNode {
  FreeNode* next = nullptr;
};

struct FreeList {
  Mutex mutex;
  FreeNode* first KINFORMER_GUARDED_BY(mutex) = nullptr;
};

struct FreeLists {
  std::array<FreeList, kLargest / kStep + 1> by_size{};
  std::atomic<std::size_t> idle_bytes{0};
};

/// Never destroyed: objects may outlive all other statics.
FreeLists& AllFreeLists() {
  static auto* const lists = new FreeLists;
  return *lists;
}

bool IsRecycled(std::size_t bytes) { return kRecycles && bytes >= kSmallest && bytes <= kLargest; }

}  // namespace

std::size_t BlockBytes(std::size_t bytes) { return IsRecycled(bytes) ? (bytes + kStep - 1) / kStep * kStep : bytes; }

void* TakeBlock(std::size_t bytes) {
  const std::size_t size = BlockBytes(bytes);
  if (IsRecycled(bytes)) {
    FreeLists& lists = AllFreeLists();
    FreeList& list = lists.by_size[size / kStep];
    const MutexLock lock(list.mutex);
    if (FreeNode* const block = list.first; block != nullptr) {
      list.first = block->next;
      lists.idle_bytes.fetch_sub(size, std::memory_order_relaxed);
      return block;
    }
  }
  return ::operator new(size);
}

void GiveBlock(void* block, std::size_t bytes) noexcept {
  const std::size_t size = BlockBytes(bytes);
  if (IsRecycled(bytes)) {
    FreeLists& lists = AllFreeLists();
    if (lists.idle_bytes.fetch_add(size, std::memory_order_relaxed) + size <= kMaxIdleBlockBytes) {
      FreeList& list = lists.by_size[size / kStep];
      const MutexLock lock(list.mutex);
      list.first = new (block) FreeNode{list.first};
      return;
    }
    lists.idle_bytes.fetch_sub(size, std::memory_order_relaxed);
  }
  ::operator delete(block);
}

std::size_t IdleBlockBytes() { return AllFreeLists().idle_bytes.load(std::memory_order_relaxed); }

}  // namespace kinformer::internal
