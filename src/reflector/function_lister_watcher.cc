#include <kinformer/reflector/function_lister_watcher.h>

#include <utility>

namespace kinformer {
namespace {

/// A stream whose parts are all available from the start, or that fails with an error.
template <typename Part>
class ReadyStream final : public PullStream<Part> {
 public:
  explicit ReadyStream(Result<std::vector<Part>> parts) : parts_(std::move(parts)) {}

  Result<std::optional<Part>> TryNext() override {
    if (!parts_) return parts_.error();
    if (next_ == parts_->size()) return std::optional<Part>();
    return std::optional<Part>(std::move((*parts_)[next_++]));
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready && (!parts_ || next_ < parts_->size())) ready();
  }

 private:
  Result<std::vector<Part>> parts_;
  std::size_t next_ = 0;
};

}  // namespace

FunctionListerWatcher::FunctionListerWatcher(ListFunction list, WatchFunction watch, bool streaming_lists)
    : list_(std::move(list)), watch_(std::move(watch)), streaming_lists_(streaming_lists) {}

std::unique_ptr<ListStream> FunctionListerWatcher::List(const ListRequest& request) {
  Result<ObjectList> page = list_(request);
  if (!page) return std::make_unique<ReadyStream<ListPart>>(std::move(page).error());
  std::vector<ListPart> parts;
  parts.emplace_back(std::move(page->items));
  parts.emplace_back(std::move(page->metadata));
  return std::make_unique<ReadyStream<ListPart>>(std::move(parts));
}

std::unique_ptr<WatchEventStream> FunctionListerWatcher::Watch(const WatchRequest& request) {
  Result<std::unique_ptr<WatchEventStream>> stream = watch_(request);
  if (!stream) return std::make_unique<ReadyStream<WatchPart>>(std::move(stream).error());
  return *std::move(stream);
}

}  // namespace kinformer
