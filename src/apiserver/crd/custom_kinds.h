#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_

// In:     definitions that are established
// Out:    their kinds served by the host, all versions of one over the same storage
// Thread: its owner's; calls to the host may block
// Next:   KindHost

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/crd/custom_definition.h"
#include "src/apiserver/crd/custom_storage.h"
#include "src/apiserver/crd/kind_host.h"

namespace kinformer::apiserver {

/// @par Thread Safety
/// One thread.
class CustomKinds {
 public:
  /// `host` must outlive it.
  explicit CustomKinds(KindHost& host) : host_(host) {}

  /// Serves what the definition says, from now on. Where it is served already and is stored as before, watches go on.
  Result<void> Serve(const nlohmann::json& definition, const std::stop_token& stop);
  bool Serves(const std::string& name) const { return served_.contains(name); }
  /// Deletes its objects. True if none is left.
  Result<bool> DeleteObjects(const std::string& name, const RegistryContext& context,
                             const std::stop_token& stop) const;
  /// Ends its watches, which are told all that has happened, and serves it no longer.
  void Remove(const std::string& name, const std::stop_token& stop);
  /// Ends all, as a server ends.
  void Clear();

 private:
  struct Served {
    std::string uid{};
    /// Everything that decides how it is served.
    nlohmann::json essence{};
    ServedKind stored{};
    std::shared_ptr<ObjectStorage> storage{};
    std::shared_ptr<WatchEnder> ender{};
    std::vector<GroupVersionResource> resources{};
  };

  void Close(Served& served, const std::stop_token& stop);

  KindHost& host_;
  std::map<std::string, Served> served_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_KINDS_H_
