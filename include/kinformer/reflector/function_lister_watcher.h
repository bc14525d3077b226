#ifndef KINFORMER_REFLECTOR_FUNCTION_LISTER_WATCHER_H_
#define KINFORMER_REFLECTOR_FUNCTION_LISTER_WATCHER_H_

#include <functional>
#include <memory>

#include <kinformer/base/result.h>
#include <kinformer/codec/object_list.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// A ListerWatcher made of two functions, for sources other than API servers.
///
/// The functions run on the reflector's task, whose thread other informers share: they must not block for long. An
/// exception becomes the reflector's error.
class FunctionListerWatcher final : public ListerWatcher {
 public:
  /// Returns one page; without a continue_token in its metadata, the last.
  using ListFunction = std::function<Result<ObjectList>(const ListRequest&)>;
  using WatchFunction = std::function<Result<std::unique_ptr<WatchEventStream>>(const WatchRequest&)>;

  /// `streaming_lists`: whether `watch` supports WatchRequest::send_initial_events.
  FunctionListerWatcher(ListFunction list, WatchFunction watch, bool streaming_lists = false);

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;
  bool SupportsStreamingLists() const override { return streaming_lists_; }

 private:
  const ListFunction list_;
  const WatchFunction watch_;
  const bool streaming_lists_;
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_FUNCTION_LISTER_WATCHER_H_
