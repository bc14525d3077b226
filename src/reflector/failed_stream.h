#ifndef KINFORMER_SRC_REFLECTOR_FAILED_STREAM_H_
#define KINFORMER_SRC_REFLECTOR_FAILED_STREAM_H_

#include <functional>
#include <optional>
#include <utility>

#include <kinformer/reflector/lister_watcher.h>

namespace kinformer::internal {

/// A list or watch that failed to start: reports `error` on the first read.
template <typename Part>
class FailedStream final : public PullStream<Part> {
 public:
  explicit FailedStream(Error error) : error_(std::move(error)) {}
  Result<std::optional<Part>> TryNext() override { return error_; }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready) ready();
  }

 private:
  const Error error_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_FAILED_STREAM_H_
