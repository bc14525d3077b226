#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_PAGE_SIZES_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_PAGE_SIZES_H_

// In:     the sizes of range responses
// Out:    the number of keys to request next
// Thread: any
// Next:   EtcdBackend

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinformer::apiserver {

/// Chooses the page size of range requests. An etcd limits a response by number of keys only, so the size in bytes is
/// unbounded: 10,000 objects of 100 KB are a gigabyte, which the etcd also builds in memory.
///
/// Pages start small and adapt to the observed sizes, per prefix. Prefixes share a fixed number of slots; a collision
/// only makes the page size less accurate.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class EtcdPageSizes {
 public:
  /// `target_bytes`: target size of a page.
  explicit EtcdPageSizes(std::size_t target_bytes);

  /// The number of keys to request below this prefix: between 1 and `limit` (zero: no limit).
  std::int64_t For(std::string_view prefix, std::int64_t limit) const;
  /// A response had this many keys and bytes.
  void Saw(std::string_view prefix, std::size_t keys, std::size_t bytes);
  /// The response to a request for this many keys was too large.
  void TooLarge(std::string_view prefix, std::int64_t asked);

 private:
  std::atomic<std::int64_t>& Slot(std::string_view prefix);
  const std::atomic<std::int64_t>& Slot(std::string_view prefix) const;

  const std::int64_t target_bytes_;
  std::array<std::atomic<std::int64_t>, 256> keys_;  ///< The size of the next page.
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_PAGE_SIZES_H_
