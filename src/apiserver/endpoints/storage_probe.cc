#include "src/apiserver/endpoints/storage_probe.h"

#include <string>
#include <utility>

#include "src/base/user_code.h"

namespace kinformer::apiserver {
namespace {

Error NoAnswer(Duration timeout) {
  const auto seconds = std::chrono::duration<double>(timeout).count();
  return {.code = ErrorCode::kDeadlineExceeded,
          .message = "storage did not respond within " + std::to_string(seconds).substr(0, 4) + " s"};
}

}  // namespace

StorageProbe::StorageProbe(TaskPool& pool, StorageProbeOptions options)
    : pool_(pool), options_(std::move(options)), timers_(pool) {}

StorageProbe::~StorageProbe() { Stop(); }

void StorageProbe::Start() { thread_.Start(); }

void StorageProbe::Stop() {
  std::stop_source stop;
  {
    const MutexLock lock(mutex_);
    stop = stop_;
  }
  stop.request_stop();
  timers_.Close();
  thread_.Stop();
  (void)TakeWaiting();
}

std::vector<StorageProbe::Done> StorageProbe::TakeWaiting() {
  const MutexLock lock(mutex_);
  return std::exchange(waiting_, {});
}

void StorageProbe::CallAll(const std::vector<Done>& waiting, const Result<void>& answer) {
  for (const Done& done : waiting) done(answer);
}

void StorageProbe::Check(Done done) {
  std::uint64_t question = 0;
  std::stop_token stop;
  {
    const MutexLock lock(mutex_);
    if (!overdue_) waiting_.push_back(std::exchange(done, nullptr));
    if (question_ == 0) {
      question = question_ = ++questions_;
      stop_ = std::stop_source();
      stop = stop_.get_token();
    }
  }
  if (done) return done(NoAnswer(options_.timeout));
  if (question == 0) return;
  timers_.PostAt(pool_.clock()->Now() + options_.timeout, [this, question] { Expire(question); });
  thread_.Post([this, stop] { Ask(stop); });
}

void StorageProbe::Ask(const std::stop_token& stop) {
  const Result<void> answer = internal::ContainResult(
      [&] { return options_.ask(stop); },
      [](std::string what) { return Error{.code = ErrorCode::kInternal, .message = std::move(what)}; });
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    question_ = 0;
    overdue_ = false;
    waiting.swap(waiting_);
  }
  CallAll(waiting, answer);
}

void StorageProbe::Expire(std::uint64_t question) {
  std::vector<Done> waiting;
  std::stop_source stop;
  {
    const MutexLock lock(mutex_);
    if (question_ != question) return;
    overdue_ = true;
    stop = stop_;
    waiting.swap(waiting_);
  }
  stop.request_stop();
  CallAll(waiting, NoAnswer(options_.timeout));
}

}  // namespace kinformer::apiserver
