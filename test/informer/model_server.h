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

#include <kinformer/base/mutex.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// The server side of list and watch in memory: objects, versions, a log of changes that can be compacted, pages,
/// streaming lists, and faults on demand. What an informer's cache must be equal to in the end.
///
/// Thread-safe. Streams answer at once, on the thread that asks.
class ModelServer final : public ListerWatcher, public std::enable_shared_from_this<ModelServer> {
 public:
  struct Options {
    bool streaming_lists = true;
    /// The server reads the parameter and never sends the end bookmark.
    bool forget_end_bookmark = false;
    /// Of all its objects.
    std::string namespace_name = "default";
  };
  explicit ModelServer(Options options);
  ModelServer() : ModelServer(Options{}) {}
  ~ModelServer() override;

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;

  // Writers. Each returns the new version.
  std::uint64_t Put(const std::string& name, const std::string& value);
  std::uint64_t Remove(const std::string& name);
  /// Moves the version without a change that anybody sees (another resource was written).
  std::uint64_t Tick();
  void SendBookmark();

  // Faults.
  /// Ends every open watch: in good order, or with an error.
  void EndWatches(std::optional<Error> error = {});
  /// Forgets changes up to now: older versions are gone (410). Continue tokens expire too.
  void Compact();
  /// The next lists or watches fail like this at their beginning.
  void FailLists(std::deque<Error> errors);
  void FailWatches(std::deque<Error> errors);
  /// All of them do, until they are told otherwise (nullopt).
  void Refuse(std::optional<Error> error);
  /// Sends the last event of every open watch once more (a duplicate).
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
