#ifndef KINFORMER_SRC_BASE_BLOCK_CACHE_H_
#define KINFORMER_SRC_BASE_BLOCK_CACHE_H_

// In:     blocks of some KB that nobody needs any more
// Out:    the same blocks, for whoever needs one of that size next
// Thread: any
// Next:   Object, whose text takes one

#include <cstddef>

namespace kinformer::internal {

/// Memory for what comes and goes at the rate of events. A cache that is kept up to date gives up an object of some KB
/// for each that comes in, on another thread: malloc takes both for a thread's own business, and pays with locks, with
/// merging and cutting of neighbours, and with memory that one thread's heap has and another's lacks.
///
/// Blocks of nearly the same size (128 bytes apart) take each other's place; what lies idle is bounded, and the rest
/// goes back to malloc, as do blocks that are very small or very large. Under AddressSanitizer everything does, so that
/// it sees each block's end.
///
/// @par Thread Safety
/// Both may be called from any thread; a block may be given back on another than took it.
void* TakeBlock(std::size_t bytes);
/// `bytes` as they were asked for.
void GiveBlock(void* block, std::size_t bytes) noexcept;

/// How much lies idle; for tests.
std::size_t IdleBlockBytes();
/// Of a block that was asked for with `bytes`, what it really takes.
std::size_t BlockBytes(std::size_t bytes);

inline constexpr std::size_t kMaxIdleBlockBytes = 4U << 20U;

/// What std::allocate_shared takes memory with: what it wants, and `extra` bytes behind it, whose place is told.
template <typename T>
struct BlockAllocator {
  using value_type = T;

  BlockAllocator(std::size_t more, std::byte** place) : extra(more), behind(place) {}
  template <typename U>
  BlockAllocator(const BlockAllocator<U>& other)  // NOLINT(google-explicit-constructor): what allocators do
      : extra(other.extra), behind(other.behind) {}

  T* allocate(std::size_t count) {
    auto* const block = static_cast<std::byte*>(TakeBlock(count * sizeof(T) + extra));
    *behind = block + count * sizeof(T);
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept { GiveBlock(block, count * sizeof(T) + extra); }

  template <typename U>
  bool operator==(const BlockAllocator<U>& other) const {
    return extra == other.extra;
  }

  std::size_t extra;
  /// Where the bytes behind are; written by allocate alone, so it may be gone later.
  std::byte** behind;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_BLOCK_CACHE_H_
