#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_

// In:     established definitions
// Out:    their kinds, served by the host; all versions of a kind share one storage
// Thread: its owner's; calls to the host may block
// Next:   KindHost

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/crd/custom_definition.h"
#include "src/apiserver/crd/custom_storage.h"
#include "src/apiserver/crd/kind_host.h"

namespace kinformer::apiserver {

/// Not thread-safe; use from one thread.
class CustomKinds {
 public:
  /// `host` must outlive it.
  explicit CustomKinds(KindHost& host) : host_(host) {}

  /// Serves the definition. If it is already served with the same storage, watches continue.
  Result<void> Serve(const nlohmann::json& definition, const std::stop_token& stop);
  bool Serves(const std::string& name) const { return served_.contains(name); }
  /// Deletes its objects. True if none remain; objects with finalizers may.
  Result<bool> DeleteObjects(const std::string& name, const RegistryContext& context,
                             const std::stop_token& stop) const;
  /// Stops serving the definition. Its watches deliver all pending events, then end.
  void Remove(const std::string& name, const std::stop_token& stop);
  /// Closes everything on server shutdown, without draining watches.
  void Clear();

 private:
  struct Served {
    std::string uid{};
    /// Everything that determines how it is served; if equal, Serve does nothing.
    std::shared_ptr<const nlohmann::json> essence{};
    ServedKind stored{};
    std::shared_ptr<ObjectStorage> storage{};
    std::shared_ptr<WatchEnder> ender{};
    std::vector<GroupVersionResource> resources{};
  };

  class EraseUnlessOpen;

  void Close(Served& served, const std::stop_token& stop);

  KindHost& host_;
  std::map<std::string, Served> served_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_
