#include "src/listwatch/storage/backend.h"

#include <algorithm>
#include <utility>

#include "src/base/block_cache.h"

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

Bytes MakeBytes(std::string_view text) {
  std::byte* behind = nullptr;
  const internal::BlockAllocator<std::string_view> allocator(text.size(), &behind);
  const auto bytes = std::allocate_shared<std::string_view>(allocator);
  char* const copy = reinterpret_cast<char*>(behind);
  std::copy(text.begin(), text.end(), copy);
  *bytes = std::string_view(copy, text.size());
  return bytes;
}

std::unique_ptr<PullStream<RangeResult>> Backend::StartRange(RangeQuery query) {
  return std::make_unique<DirectRange>(*this, std::move(query));
}

}  // namespace kinformer::apiserver
