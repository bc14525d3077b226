#include "bench/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};

/// Each block stores its size in a header.
constexpr std::size_t kHeader = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) {
  void* const block = std::malloc(size + kHeader);
  if (block == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(block) = size;
  const std::size_t live = live_bytes.fetch_add(size, std::memory_order_relaxed) + size;
  if (live > peak_bytes.load(std::memory_order_relaxed)) peak_bytes.store(live, std::memory_order_relaxed);
  return static_cast<char*>(block) + kHeader;
}

void operator delete(void* pointer) noexcept {
  if (pointer == nullptr) return;
  void* const block = static_cast<char*>(pointer) - kHeader;
  live_bytes.fetch_sub(*static_cast<std::size_t*>(block), std::memory_order_relaxed);
  std::free(block);
}

void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }

namespace kinformer::bench {

std::size_t LiveBytes() { return live_bytes.load(std::memory_order_relaxed); }
std::size_t PeakBytes() { return peak_bytes.load(std::memory_order_relaxed); }
void ResetPeakBytes() { peak_bytes.store(LiveBytes(), std::memory_order_relaxed); }

}  // namespace kinformer::bench
