#ifndef KINFORMER_SRC_BASE_BLOCK_CACHE_H_
#define KINFORMER_SRC_BASE_BLOCK_CACHE_H_

// In:     blocks of a few KB that are no longer used
// Out:    the same blocks, for the next request of that size
// Thread: any
// Next:   Object, whose text occupies one

#include <cstddef>

namespace kinformer::internal {

/// Memory for data that is allocated and freed at the rate of events. A cache that follows a server frees an object of
/// a few KB for each that arrives, on another thread. malloc treats both as thread-local and pays with locks, with
/// splitting and merging of neighbours, and with memory that is free in one thread's arena but missing in another's.
///
/// A free list per size class (steps of 128 bytes). The idle memory is bounded; excess blocks go back to malloc, and
/// very small or very large blocks always use it. Under AddressSanitizer all blocks do, so that it can check each
/// block's bounds.
///
/// @par Thread Safety
/// May be called from any thread; a block may be freed on another thread than it was allocated on.
void* TakeBlock(std::size_t bytes);
/// `bytes` as passed to TakeBlock.
void GiveBlock(void* block, std::size_t bytes) noexcept;

/// The size of all idle blocks; for tests.
std::size_t IdleBlockBytes();
/// The actual size of a block that was requested with `bytes`.
std::size_t BlockBytes(std::size_t bytes);

inline constexpr std::size_t kMaxIdleBlockBytes = 4U << 20U;

/// An allocator for std::allocate_shared that appends `extra` bytes to the allocation and stores their address.
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
  /// Where allocate stores the address of the extra bytes; not used afterwards, so it may dangle then.
  std::byte** behind;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_BLOCK_CACHE_H_
