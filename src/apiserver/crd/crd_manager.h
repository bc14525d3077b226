#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_

// In:     the CustomResourceDefinitions of a server, followed
// Out:    their kinds served, their status; when one is deleted, its objects deleted
// Thread: one of its own, from Start to Stop
// Next:   CustomKinds, KindHost

#include <chrono>
#include <map>
#include <memory>
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

namespace kinformer::apiserver {

struct CrdManagerOptions {
  /// Of the CustomResourceDefinitions.
  StorePtr definitions{};
  /// Must outlive the manager.
  KindHost* host = nullptr;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// Keeps what is served in step with the definitions: a definition whose names are free is established, an update
/// changes how its kinds are served (watches go on where the storage version stays), a deletion takes its objects with
/// it.
///
/// @par Thread Safety
/// Start and Stop from one thread; Apply and AwaitSynced from any.
class CrdManager {
 public:
  explicit CrdManager(CrdManagerOptions options);
  ~CrdManager();
  CrdManager(const CrdManager&) = delete;
  CrdManager& operator=(const CrdManager&) = delete;

  void Start();
  /// Returns when its thread has ended.
  void Stop();

  /// Until the definitions that were there when it started are served. kTimeout, if they are not in time.
  Result<void> AwaitSynced(std::chrono::seconds timeout) const;
  /// Creates the definitions in the text (see ReadDefinitionTexts), or replaces them, and waits until their kinds are
  /// served.
  Result<void> Apply(std::string_view text, std::chrono::seconds timeout) const;

 private:
  struct Signal;

  void Run(const std::stop_token& stop);
  void Take(const ObjectNews& news);
  /// False if something failed, or takes time, and should be tried again a little later.
  bool Work(const std::stop_token& stop);
  Result<bool> Sync(const std::string& name, const std::stop_token& stop);
  /// Its objects deleted, and when none is left our finalizer taken away.
  Result<bool> Terminate(const std::string& name, nlohmann::json definition, const std::stop_token& stop);
  /// Writes the definition's status, or all but its status; what came of it is known at once. False: somebody else
  /// wrote, and news will come.
  Result<bool> Write(const std::string& name, Subresource subresource, const nlohmann::json& definition,
                     const std::stop_token& stop);
  void Publish(const std::string& name, const Result<bool>& synced);
  Result<void> ApplyOne(nlohmann::json definition, std::chrono::seconds timeout) const;

  const CrdManagerOptions options_;
  const std::shared_ptr<Signal> signal_;
  // Of the thread.
  CustomKinds kinds_;
  std::map<std::string, ObjectPtr> definitions_;
  std::set<std::string> due_;
  /// By uid: those whose objects are gone, though they themselves are not yet.
  std::set<std::string> emptied_;

  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_MANAGER_H_
