#include <kinformer/processor/registration.h>

#include <utility>

#include "src/processor/processor_listener.h"

namespace kinformer {

HandlerRegistration::HandlerRegistration(std::shared_ptr<internal::ProcessorListener> listener)
    : listener_(std::move(listener)) {}

HandlerRegistration::HandlerRegistration(HandlerRegistration&&) noexcept = default;

HandlerRegistration& HandlerRegistration::operator=(HandlerRegistration&& other) noexcept {
  if (this != &other) {
    Remove();
    listener_ = std::move(other.listener_);
  }
  return *this;
}

HandlerRegistration::~HandlerRegistration() { Remove(); }

// The pointer is kept: Status may be reading it on another thread.
void HandlerRegistration::Remove() {
  if (listener_) listener_->Remove();
}

bool HandlerRegistration::HasSynced() const { return listener_ && listener_->HasSynced(); }

HandlerStatus HandlerRegistration::Status() const { return listener_ ? listener_->Status() : HandlerStatus{}; }

Result<void> HandlerRegistration::WaitForSync(Duration timeout, const std::stop_token& stop) const {
  if (!listener_) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "this registration holds no handler"};
  }
  return listener_->WaitForSync(timeout, stop);
}

}  // namespace kinformer
