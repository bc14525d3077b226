#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_

// In:     a server's CustomResourceDefinitions, watched
// Out:    their kinds served, their status updated; on deletion, their objects deleted
// Thread: one of its own, from Start to Stop
// Next:   CustomKinds, KindHost

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/crd/custom_kinds.h"
#include "src/apiserver/crd/kind_host.h"
#include "src/apiserver/lifecycle/object_follower.h"
#include "src/apiserver/lifecycle/retry_schedule.h"

namespace kinformer::apiserver {

struct CrdManagerOptions {
  /// The store of the CustomResourceDefinitions.
  StorePtr definitions{};
  /// Must outlive the manager.
  KindHost* host = nullptr;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// Keeps the served kinds in sync with the definitions: a definition whose names are free is established, an update
/// changes how its kinds are served (watches continue if the storage version is unchanged), and a deletion deletes its
/// objects. If a definition fails, by an error or exception of a store or the host, this is logged and it is retried
/// with exponential backoff; the others are not affected.
///
/// Start and Stop must be called from one thread; Apply and AwaitSynced from any.
class CrdManager {
 public:
  explicit CrdManager(CrdManagerOptions options);
  ~CrdManager();
  CrdManager(const CrdManager&) = delete;
  CrdManager& operator=(const CrdManager&) = delete;

  void Start();
  /// Joins its thread.
  void Stop();

  /// Blocks until every definition that existed at the start has been processed once. kDeadlineExceeded if the timeout
  /// expires or the manager is stopped first.
  Result<void> AwaitSynced(std::chrono::seconds timeout) const;
  /// Creates or replaces the definitions in the text (see ReadDefinitionTexts) and blocks until their kinds are served.
  /// `timeout` applies to each definition.
  Result<void> Apply(std::string_view text, std::chrono::seconds timeout) const;

 private:
  struct Signal;

  void Run(const std::stop_token& stop);
  void Take(const ObjectNews& news);
  /// Processes what is due at `now`. Returns when to call it again without news; nullopt: nothing is pending.
  std::optional<TimePoint> Work(TimePoint now, const std::stop_token& stop);
  /// False: not finished, retry soon.
  Result<bool> Sync(const std::string& name, const std::stop_token& stop);
  /// Deletes its objects, and then removes our finalizer.
  Result<bool> Terminate(const std::string& name, nlohmann::json definition, const std::stop_token& stop);
  /// Writes the definition's status, or everything but its status. A status write updates `definitions_` immediately.
  /// False: the definition changed or is gone; news will follow.
  Result<bool> Write(const std::string& name, Subresource subresource, const nlohmann::json& definition,
                     const std::stop_token& stop);
  void Publish(const std::string& name, const Result<bool>& synced);
  Result<void> ApplyOne(nlohmann::json definition, std::chrono::seconds timeout) const;

  const CrdManagerOptions options_;
  const std::shared_ptr<Signal> signal_;
  // Used only by the thread.
  CustomKinds kinds_;
  std::map<std::string, ObjectPtr> definitions_;
  std::set<std::string> due_;
  RetrySchedule retries_;
  /// Uids of definitions whose objects are all deleted, but which still exist.
  std::set<std::string> emptied_;

  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_
