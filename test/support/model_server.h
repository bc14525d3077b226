#ifndef KINFORMER_TEST_SUPPORT_MODEL_SERVER_H_
#define KINFORMER_TEST_SUPPORT_MODEL_SERVER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"

namespace kinformer {

/// An in-memory implementation of list and watch: objects, versions, a change log that can be compacted, paging,
/// streaming lists, and faults on demand. An informer's cache must eventually equal its content.
///
/// Thread-safe. Streams answer immediately, on the calling thread.
class ModelServer final : public ListerWatcher {
 public:
  struct Options {
    bool streaming_lists = true;
    /// The namespace of the objects that are written by name.
    std::string namespace_name = "default";
    /// Of bookmarks.
    std::string kind = "ConfigMap";
    /// The first version.
    std::uint64_t version = 10;
  };
  explicit ModelServer(Options options);
  ModelServer() : ModelServer(Options{}) {}
  ~ModelServer() override;

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;

  // Writes. Each returns the new version.
  /// A ConfigMap with that value.
  std::uint64_t Put(const std::string& name, const std::string& value);
  /// Any object; its version is set.
  std::uint64_t Put(nlohmann::json object);
  /// No effect if the object does not exist.
  std::uint64_t Remove(const std::string& name) { return Remove(NamespacedName{options_.namespace_name, name}); }
  std::uint64_t Remove(const NamespacedName& key);
  /// Increases the version without a visible change, as a write to another resource does.
  std::uint64_t Tick();
  void SendBookmark();

  // Faults.
  /// Ends every open watch, cleanly or with an error.
  void EndWatches(std::optional<Error> error = {});
  /// Discards the history: older versions and continue tokens are expired (410).
  void Compact();
  /// The next list or watch fails at its start.
  void FailAList(Error error);
  void FailAWatch(Error error);
  /// All lists and watches fail with this error, until reset (nullopt).
  void Refuse(std::optional<Error> error);
  /// Sends the last event of every open watch again.
  void RepeatLastEvent();

  std::uint64_t version() const;
  std::map<NamespacedName, ObjectPtr> Objects() const;
  /// name → (value, version)
  std::map<std::string, std::pair<std::string, std::string>> Content() const;
  std::size_t OpenWatches() const;
  /// Requests so far.
  std::size_t lists() const;
  std::size_t watches() const;

 private:
  class Watcher;

  std::uint64_t Write(nlohmann::json object) KINFORMER_REQUIRES(mutex_);
  void Send(const WatchEvent& event) KINFORMER_REQUIRES(mutex_);
  std::vector<std::shared_ptr<Watcher>> LiveWatchers() KINFORMER_REQUIRES(mutex_);
  WatchEvent Bookmark(bool initial_events_end) const KINFORMER_REQUIRES(mutex_);
  /// Why a request fails at its start, if it does.
  std::optional<Error> TakeError(std::optional<Error>& next) KINFORMER_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  std::map<NamespacedName, ObjectPtr> objects_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<std::pair<std::uint64_t, WatchEvent>> log_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t version_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t compacted_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_uid_ KINFORMER_GUARDED_BY(mutex_) = 1;
  std::vector<std::weak_ptr<Watcher>> watchers_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> list_error_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> watch_error_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> refusal_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t lists_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t watches_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

Error ServerError(int status, const std::string& reason, const std::string& message = "as the script says");

}  // namespace kinformer

#endif  // KINFORMER_TEST_SUPPORT_MODEL_SERVER_H_
