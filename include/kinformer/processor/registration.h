#ifndef KINFORMER_PROCESSOR_REGISTRATION_H_
#define KINFORMER_PROCESSOR_REGISTRATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

namespace kinformer {

namespace internal {
class ProcessorListener;
}

struct HandlerStatus {
  /// Every object that was there when it came has been handled.
  bool synced = false;
  /// Events that wait for it.
  std::size_t pending = 0;
  std::uint64_t handled = 0;
  std::uint64_t coalesced = 0;
  /// Calls that threw.
  std::uint64_t failed = 0;
};

/// A handler's place in an informer. Once it is destroyed (or Remove returned), the handler is not called any more: a
/// call that is running is waited for, unless it is the one that removes itself. Do not hold a lock that the handler
/// takes while destroying it.
///
/// @par Thread Safety
/// All functions may be called from any thread, handlers included.
class [[nodiscard]] HandlerRegistration {
 public:
  HandlerRegistration() = default;
  explicit HandlerRegistration(std::shared_ptr<internal::ProcessorListener> listener);
  HandlerRegistration(HandlerRegistration&&) noexcept;
  HandlerRegistration& operator=(HandlerRegistration&&) noexcept;
  ~HandlerRegistration();

  void Remove();
  bool HasSynced() const;
  HandlerStatus Status() const;
  /// Waits until HasSynced. kFailedPrecondition inside this very handler (it would wait for itself) or after Remove,
  /// kDeadlineExceeded, kCancelled.
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop = {}) const;

 private:
  std::shared_ptr<internal::ProcessorListener> listener_;
};

}  // namespace kinformer

#endif  // KINFORMER_PROCESSOR_REGISTRATION_H_
