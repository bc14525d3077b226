#ifndef KINFORMER_TEST_SUPPORT_SCRIPTED_STREAM_H_
#define KINFORMER_TEST_SUPPORT_SCRIPTED_STREAM_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <kinformer/reflector/lister_watcher.h>

#include "test/support/patience.h"

namespace kinformer::testing_support {

/// The test's end of a stream. Thread-safe. May outlive the stream, and may be fed before it is read.
template <typename Part>
class StreamScript {
 public:
  void Push(Part part) { Put(Result<Part>(std::move(part))); }
  /// Reported once, after the parts pushed before.
  void Fail(Error error) { Put(Result<Part>(std::move(error))); }
  /// How many times the stream has been destroyed: at most once, unless something is wrong.
  int cancellations() const {
    const std::lock_guard lock(mutex_);
    return cancellations_;
  }
  bool AwaitCancelled(std::chrono::milliseconds timeout = kPatience) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return cancellations_ > 0; });
  }

 private:
  template <typename>
  friend class ScriptedStream;

  void Put(Result<Part> part) {
    std::function<void()> ready;
    {
      const std::lock_guard lock(mutex_);
      parts_.push_back(std::move(part));
      ready.swap(ready_);
    }
    if (ready) ready();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Result<Part>> parts_;
  std::function<void()> ready_;
  int cancellations_ = 0;
};

/// The stream that a script feeds.
template <typename Part>
class ScriptedStream final : public PullStream<Part> {
 public:
  explicit ScriptedStream(std::shared_ptr<StreamScript<Part>> script) : script_(std::move(script)) {}
  ~ScriptedStream() override {
    std::function<void()> dropped;
    const std::lock_guard lock(script_->mutex_);
    ++script_->cancellations_;
    dropped.swap(script_->ready_);
    script_->changed_.notify_all();
  }

  Result<std::optional<Part>> TryNext() override {
    const std::lock_guard lock(script_->mutex_);
    if (script_->parts_.empty()) return std::optional<Part>();
    Result<Part> part = std::move(script_->parts_.front());
    script_->parts_.pop_front();
    if (!part) return std::move(part).error();
    return std::optional<Part>(*std::move(part));
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    std::unique_lock lock(script_->mutex_);
    script_->ready_ = nullptr;
    if (script_->parts_.empty()) {
      script_->ready_ = std::move(ready);
      return;
    }
    lock.unlock();
    if (ready) ready();
  }

 private:
  const std::shared_ptr<StreamScript<Part>> script_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_SCRIPTED_STREAM_H_
