#ifndef KINFORMER_SRC_BASE_READY_CALLBACK_H_
#define KINFORMER_SRC_BASE_READY_CALLBACK_H_

#include <functional>
#include <memory>

namespace kinformer::internal {

/// The function that a pull stream calls once when it has something (NotifyWhenReady).
///
/// No lock is held while the function runs. It may call Set, and it may destroy this object and its owners.
///
/// @par Thread Safety
/// All functions may be called from any thread. Two calls overlap only if the first one has set the function of the
/// second.
class ReadyCallback {
 public:
  ReadyCallback();
  ReadyCallback(const ReadyCallback&) = delete;
  ReadyCallback& operator=(const ReadyCallback&) = delete;

  /// Replaces the function; null: none. When it returns, the previous function is not running and will not be called.
  /// Called inside that function, it does not wait for it.
  void Set(std::function<void()> ready);
  /// Calls the function, if there is one, and clears it. Exceptions are dropped: the function only signals, and the
  /// caller may be a C library.
  void Call() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_READY_CALLBACK_H_
