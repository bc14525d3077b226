#ifndef KINFORMER_PROCESSOR_REGISTRATION_H_
#define KINFORMER_PROCESSOR_REGISTRATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

namespace kinformer {

namespace internal {
class ProcessorListener;
}

struct HandlerStatus {
  /// HandlerOptions::name.
  std::string name{};
  /// Every object of the initial list has been handled.
  bool synced = false;
  /// Events that are waiting for the handler.
  std::size_t pending = 0;
  std::uint64_t handled = 0;
  std::uint64_t coalesced = 0;
  /// Calls that threw.
  std::uint64_t failed = 0;
  /// How long the current call has been running; nullopt: none is running.
  std::optional<Duration> running_for{};
};

/// A registered handler. Once this is destroyed, or Remove has returned, the handler is not called any more: the
/// running call has returned, and everything that the handler's functions own is destroyed. Do not remove a handler
/// while holding a lock that it takes.
///
/// A handler may remove itself, which makes its current call the last, and other handlers. A removal that would wait in
/// a cycle does not wait, to avoid a deadlock: handlers that remove each other at the same time, or a handler that
/// removes another one whose current call waits for its sync, with a time limit or without. No call starts after that
/// either; the current one returns later.
///
/// Safe to use when the informer is gone: its handlers are gone too.
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

  /// Does what the destructor does; further calls do nothing. Pending events are dropped.
  void Remove();
  bool HasSynced() const;
  HandlerStatus Status() const;
  /// Waits until HasSynced. kFailedPrecondition inside this handler, inside callbacks on the factory's pool (on_error,
  /// transforms, tweaks, index functions) and after removal; kDeadlineExceeded after `timeout`; kCancelled when
  /// stopped.
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop = {}) const;

 private:
  std::shared_ptr<internal::ProcessorListener> listener_;
};

}  // namespace kinformer

#endif  // KINFORMER_PROCESSOR_REGISTRATION_H_
