#ifndef KINFORMER_REFLECTOR_FUNCTION_LISTER_WATCHER_H_
#define KINFORMER_REFLECTOR_FUNCTION_LISTER_WATCHER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// One page of a list in one piece.
struct ListPage {
  std::vector<ObjectPtr> items{};
  std::string resource_version{};
  std::string continue_token{};
  std::optional<std::int64_t> remaining_item_count{};
};

/// A ListerWatcher made of two functions, for sources that are no API server.
///
/// The functions run on the reflector's task, which other informers share: they must not block for long. What they
/// throw is the reflector's error.
class FunctionListerWatcher final : public ListerWatcher {
 public:
  using ListFunction = std::function<Result<ListPage>(const ListRequest&)>;
  using WatchFunction = std::function<Result<std::unique_ptr<WatchEventStream>>(const WatchRequest&)>;

  /// `streaming_lists`: whether `watch` heeds WatchRequest::send_initial_events.
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
