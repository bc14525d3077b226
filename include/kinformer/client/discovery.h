#ifndef KINFORMER_CLIENT_DISCOVERY_H_
#define KINFORMER_CLIENT_DISCOVERY_H_

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/meta/names.h>

namespace kinformer {

/// A resource as the server describes it.
struct ApiResource {
  Resource resource{};
  std::string singular{};
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  std::vector<std::string> verbs{};
  /// "status", "scale", ...
  std::vector<std::string> subresources{};

  bool Can(std::string_view verb) const;
};

struct ApiGroup {
  std::string name{};
  /// "v1", best first.
  std::vector<std::string> versions{};
  std::string preferred_version{};
};

/// What an API server serves.
struct ApiCatalog {
  std::vector<ApiGroup> groups{};
  std::vector<ApiResource> resources{};
  /// Group-versions ("metrics.k8s.io/v1beta1") that could not be read, and why: an aggregated API that is down does not
  /// hide the rest.
  std::map<std::string, Error> failures{};
};

struct ServerVersion {
  std::string major{};
  std::string minor{};
  std::string git_version{};
  std::string platform{};
};

/// Asks a server what it serves: in two requests where it has aggregated discovery, else one by one.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Discovery {
 public:
  /// A group-version that fails is asked a second time. An error only if the groups cannot be read, or are too many.
  Result<ApiCatalog> Discover(const std::stop_token& stop = {}) const;
  Result<ServerVersion> Version(const std::stop_token& stop = {}) const;

 private:
  friend class Client;
  explicit Discovery(std::shared_ptr<internal::RestClient> rest) : rest_(std::move(rest)) {}
  std::shared_ptr<internal::RestClient> rest_;
};

/// Kind ↔ resource, as the server has it. Discovers on first use and keeps the answer; what it does not find makes it
/// discover once more, so that a CustomResourceDefinition made meanwhile is found.
///
/// @par Thread Safety
/// All functions may be called from any thread; of several that have to discover, one does and the others wait for it.
class KindMapper {
 public:
  /// The resource of a kind. With an empty version: the group's preferred one.
  Result<ApiResource> ForKind(const GroupVersionKind& gvk, const std::stop_token& stop = {}) const;
  /// The kind of a resource. With an empty version: the group's preferred one.
  Result<ApiResource> ForResource(const GroupVersionResource& gvr, const std::stop_token& stop = {}) const;
  /// As people type it: "deployments", "deployment", "deploy", "deployments.apps", "deployments.v1.apps".
  Result<ApiResource> ForName(std::string_view name, const std::stop_token& stop = {}) const;
  /// Forget what is known.
  void Reset() const;

 private:
  friend class Client;
  struct State;
  explicit KindMapper(Discovery discovery);
  std::shared_ptr<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DISCOVERY_H_
