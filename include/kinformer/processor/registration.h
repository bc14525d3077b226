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
/// call that is running is waited for, and what the handler's functions own has been destroyed. Do not hold a lock that
/// the handler takes while destroying it.
///
/// Inside a handler too: a handler may remove itself, whose call then is the last, and others. Where two remove each
/// other at the same time (or more, in a circle) one of them does not wait, since the other's running call, which is
/// waiting for it, could never return; no call begins after that either.
///
/// Harmless when the informer is gone: its handlers went with it.
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

  /// What the destructor does; more than once does nothing. Events that wait are dropped.
  void Remove();
  bool HasSynced() const;
  HandlerStatus Status() const;
  /// Waits until HasSynced. kFailedPrecondition inside this very handler (it would wait for itself) and when it is or
  /// has been removed, kDeadlineExceeded, kCancelled.
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop = {}) const;

 private:
  std::shared_ptr<internal::ProcessorListener> listener_;
};

}  // namespace kinformer

#endif  // KINFORMER_PROCESSOR_REGISTRATION_H_
