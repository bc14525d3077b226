#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_

// In:     watches of all resources of a server, restarted whenever they end
// Out:    a sequence of current and deleted objects
// Thread: its owner's; notifications arrive on any thread and only call `wake`
// Next:   LifecycleManager

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

using StorePtr = std::shared_ptr<const ResourceStore>;

struct ObjectNews {
  StorePtr store{};
  /// If `gone`: the last known state.
  ObjectPtr object{};
  bool gone = false;
};

/// Follows the objects of several resources. After a watch is interrupted, each object is reported again, and objects
/// deleted in the meantime are reported as gone.
class ObjectFollower {
 public:
  /// `wake` is called on any thread when Next may have more.
  explicit ObjectFollower(std::function<void()> wake, Logger logger = {})
      : wake_(std::move(wake)), logger_(std::move(logger)) {}

  /// Sets the resources to follow. New ones are followed; all objects of removed ones are reported as gone.
  void SetStores(const std::vector<StorePtr>& stores);
  /// Returns the news since the last call. Does not block. A watch that fails, by an error or an exception, is
  /// restarted after a delay; the others are not affected.
  std::vector<ObjectNews> Next(TimePoint now, const std::stop_token& stop);
  /// Every resource has delivered its initial events.
  bool Complete() const;
  /// When to call Next without being woken, to restart a watch; nullopt: all watches are open.
  std::optional<TimePoint> NextTry() const;

 private:
  struct Followed {
    StorePtr store{};
    std::unique_ptr<WatchEventStream> events{};
    /// Current objects, by uid.
    std::map<std::string, ObjectPtr> objects{};
    /// Set until the current watch has sent its initial events. Known objects that are not among `seen` by then are
    /// gone.
    bool initial = true;
    std::unordered_set<std::string> seen{};
    /// Some watch has sent all its initial events.
    bool complete = false;
    /// When to start the next watch, if none is open.
    TimePoint next_try{};
    Duration delay{};
  };

  /// Reads what is available from one resource.
  void Follow(Followed& followed, std::vector<ObjectNews>& news, const std::stop_token& stop);
  void Begin(Followed& followed, const std::stop_token& stop);
  void Fail(Followed& followed, TimePoint now, const std::string& why);
  /// False: nothing more at the moment.
  bool TakePart(Followed& followed, std::vector<ObjectNews>& news);
  static void EndInitial(Followed& followed, std::vector<ObjectNews>& news);
  static void TakeEvent(Followed& followed, WatchEvent event, std::vector<ObjectNews>& news);

  const std::function<void()> wake_;
  const Logger logger_;
  std::map<GroupVersionResource, Followed> followed_;
  std::vector<ObjectNews> gone_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_
