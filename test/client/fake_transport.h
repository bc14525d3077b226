#ifndef KINFORMER_TEST_CLIENT_FAKE_TRANSPORT_H_
#define KINFORMER_TEST_CLIENT_FAKE_TRANSPORT_H_

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/transport/transport.h>

#include "src/base/mutex.h"

namespace kinformer {

/// An in-memory transport that answers immediately from a script. Also shows what a user-supplied transport looks like.
class FakeTransport final : public Transport {
 public:
  /// A response, or the error with which the exchange fails before one.
  struct Reply {
    int status = 200;
    std::vector<Header> headers{};
    std::string body{};
    std::optional<Error> error{};
  };

  void Enqueue(Reply reply) {
    const MutexLock lock(mutex_);
    replies_.push_back(std::move(reply));
  }
  std::vector<Request> Requests() const {
    const MutexLock lock(mutex_);
    return requests_;
  }

  std::unique_ptr<ResponseStream> Start(Request request) override {
    const MutexLock lock(mutex_);
    requests_.push_back(std::move(request));
    Reply reply{.status = 599, .body = "the script has ended"};
    if (!replies_.empty()) {
      reply = std::move(replies_.front());
      replies_.pop_front();
    }
    return std::make_unique<Stream>(std::move(reply));
  }

 private:
  class Stream final : public ResponseStream {
   public:
    explicit Stream(Reply reply) : reply_(std::move(reply)) {}

    Result<std::optional<ResponsePart>> TryNext() override {
      if (reply_.error) return *reply_.error;
      switch (step_++) {
        case 0:
          return std::optional<ResponsePart>(ResponseHead{.status = reply_.status, .headers = reply_.headers});
        case 1:
          return std::optional<ResponsePart>(reply_.body);
        default:
          return std::optional<ResponsePart>(ResponseEnd{});
      }
    }
    void NotifyWhenReady(std::function<void()> ready) override {
      if (ready) ready();
    }

   private:
    Reply reply_;
    int step_ = 0;
  };

  mutable Mutex mutex_;
  std::deque<Reply> replies_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Request> requests_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_CLIENT_FAKE_TRANSPORT_H_
