#include "src/apiserver/storage/backend.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

class DirectRange final : public PullStream<RangeResult> {
 public:
  DirectRange(Backend& backend, RangeQuery query) : backend_(backend), query_(std::move(query)) {}

  Result<std::optional<RangeResult>> TryNext() override {
    if (done_) return std::optional<RangeResult>();
    done_ = true;
    Result<RangeResult> result = backend_.Range(query_, {});
    if (!result) return std::move(result).error();
    return std::optional(*std::move(result));
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready && !done_) ready();
  }

 private:
  Backend& backend_;
  const RangeQuery query_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<PullStream<RangeResult>> Backend::StartRange(RangeQuery query) {
  return std::make_unique<DirectRange>(*this, std::move(query));
}

}  // namespace kinformer::apiserver
