#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_

// In:     watches of all resources of a server, begun anew whenever they end
// Out:    what is there now and what has gone, one after another
// Thread: its owner's; notifications come on any thread and only signal
// Next:   LifecycleManager

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

using StorePtr = std::shared_ptr<const ResourceStore>;

struct ObjectNews {
  StorePtr store{};
  /// Of what has gone: the last state, as far as it is known.
  ObjectPtr object{};
  bool gone = false;
};

/// Follows the objects of several resources. After a break each object is told again, and those that went meanwhile
/// are told as gone.
class ObjectFollower {
 public:
  /// `wake` is called on any thread when Next may have more.
  explicit ObjectFollower(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Which resources there are now. Those that are new are followed; of those that are no longer there everything is
  /// told as gone.
  void SetStores(const std::vector<StorePtr>& stores);
  /// What has happened since; does not block.
  std::vector<ObjectNews> Next(const std::stop_token& stop);
  /// Every resource has told what was there when it began to be followed.
  bool Complete() const;
  /// False while some resource cannot be followed: nobody wakes us for it, it must be asked again.
  bool AllOpen() const;

 private:
  struct Followed {
    StorePtr store{};
    std::unique_ptr<WatchEventStream> events{};
    /// What is there, by uid.
    std::map<std::string, ObjectPtr> objects{};
    /// Set until the watch under way has told all that was there when it began. What is not among that has gone.
    bool initial = true;
    std::unordered_set<std::string> seen{};
    /// One of its watches has.
    bool complete = false;
  };

  void Begin(Followed& followed, const std::stop_token& stop);
  /// False: nothing more for now.
  bool TakePart(Followed& followed, std::vector<ObjectNews>& news);
  static void EndInitial(Followed& followed, std::vector<ObjectNews>& news);
  static void TakeEvent(Followed& followed, WatchEvent event, std::vector<ObjectNews>& news);

  const std::function<void()> wake_;
  std::map<GroupVersionResource, Followed> followed_;
  std::vector<ObjectNews> gone_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_OBJECT_FOLLOWER_H_
