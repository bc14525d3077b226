#ifndef KINFORMER_TEST_INFORMER_MODEL_SERVER_H_
#define KINFORMER_TEST_INFORMER_MODEL_SERVER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"

namespace kinformer {

/// An in-memory implementation of list and watch: objects, versions, a change log that can be compacted, paging,
/// streaming lists, and faults on demand. An informer's cache must eventually equal its content.
///
/// Thread-safe. Streams answer immediately, on the calling thread.
class ModelServer final : public ListerWatcher, public std::enable_shared_from_this<ModelServer> {
 public:
  struct Options {
    bool streaming_lists = true;
    /// Simulates a server that accepts sendInitialEvents but never sends the end bookmark.
    bool forget_end_bookmark = false;
    /// The namespace of all objects.
    std::string namespace_name = "default";
  };
  explicit ModelServer(Options options);
  ModelServer() : ModelServer(Options{}) {}
  ~ModelServer() override;

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;

  // Writes. Each returns the new version.
  std::uint64_t Put(const std::string& name, const std::string& value);
  std::uint64_t Remove(const std::string& name);
  /// Increases the version without a visible change, as a write to another resource does.
  std::uint64_t Tick();
  void SendBookmark();

  // Faults.
  /// Ends every open watch, cleanly or with an error.
  void EndWatches(std::optional<Error> error = {});
  /// Discards the history: older versions and continue tokens are expired (410).
  void Compact();
  /// The next lists or watches fail at their start, with one of these errors each.
  void FailLists(std::deque<Error> errors);
  void FailWatches(std::deque<Error> errors);
  /// All lists and watches fail with this error, until reset (nullopt).
  void Refuse(std::optional<Error> error);
  /// Sends the last event of every open watch again.
  void RepeatLastEvent();

  /// name → (value, version)
  std::map<std::string, std::pair<std::string, std::string>> Content() const;
  std::size_t OpenWatches() const;
  std::size_t lists() const;
  std::size_t watches() const;
  std::vector<ListRequest> ListRequests() const;
  std::vector<WatchRequest> WatchRequests() const;

 private:
  struct Entry {
    std::string value;
    std::uint64_t uid = 0;
    std::uint64_t version = 0;
  };
  class Watcher;

  ObjectPtr ObjectOf(const std::string& name, const Entry& entry) const;
  std::vector<std::shared_ptr<Watcher>> LiveWatchers() KINFORMER_REQUIRES(mutex_);
  WatchEvent Bookmark(bool initial_events_end) const KINFORMER_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  std::map<std::string, Entry> objects_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<std::pair<std::uint64_t, WatchEvent>> log_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t version_ KINFORMER_GUARDED_BY(mutex_) = 10;
  std::uint64_t compacted_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_uid_ KINFORMER_GUARDED_BY(mutex_) = 1;
  std::vector<std::weak_ptr<Watcher>> watchers_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<Error> list_errors_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<Error> watch_errors_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> refusal_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<ListRequest> list_requests_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<WatchRequest> watch_requests_ KINFORMER_GUARDED_BY(mutex_);
};

Error ServerError(int status, const std::string& reason, const std::string& message = "as the script says");

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_MODEL_SERVER_H_
