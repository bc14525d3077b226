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
  /// For example "v1", in order of preference.
  std::vector<std::string> versions{};
  std::string preferred_version{};
};

/// What an API server serves.
struct ApiCatalog {
  std::vector<ApiGroup> groups{};
  std::vector<ApiResource> resources{};
  /// Group-versions ("metrics.k8s.io/v1beta1") that could not be read, and why. An unavailable aggregated API does not
  /// hide the others.
  std::map<std::string, Error> failures{};
};

struct ServerVersion {
  std::string major{};
  std::string minor{};
  std::string git_version{};
  std::string platform{};
};

/// Queries what a server serves: two requests if it supports aggregated discovery, else one per group-version.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Discovery {
 public:
  // Copyable but not movable, so that it always has a client.
  Discovery(const Discovery&) noexcept = default;
  Discovery& operator=(const Discovery&) noexcept = default;

  /// Without aggregated discovery, a failing group-version is retried once. Group-versions that cannot be read are
  /// listed in ApiCatalog::failures; returns an error only if the groups cannot be read, or are too many.
  Result<ApiCatalog> Discover(const std::stop_token& stop = {}) const;
  Result<ServerVersion> Version(const std::stop_token& stop = {}) const;

 private:
  friend class Client;
  explicit Discovery(std::shared_ptr<internal::RestClient> rest) : rest_(std::move(rest)) {}
  std::shared_ptr<internal::RestClient> rest_;
};

/// Maps kinds to resources and back, as defined by the server. Discovers on first use and caches the result. A lookup
/// that fails discovers once more, so that a new CustomResourceDefinition is found.
///
/// @par Thread Safety
/// All functions may be called from any thread; concurrent lookups share one discovery.
class KindMapper {
 public:
  // Copyable but not movable, so that it always has a client. Copies share the cache.
  KindMapper(const KindMapper&) noexcept = default;
  KindMapper& operator=(const KindMapper&) noexcept = default;

  /// The resource of a kind. With an empty version: the group's preferred one.
  Result<ApiResource> ForKind(const GroupVersionKind& gvk, const std::stop_token& stop = {}) const;
  /// The kind of a resource. With an empty version: the group's preferred one.
  Result<ApiResource> ForResource(const GroupVersionResource& gvr, const std::stop_token& stop = {}) const;
  /// As typed on a command line: "deployments", "deployment", "deploy", "deployments.apps", "deployments.v1.apps".
  Result<ApiResource> ForName(std::string_view name, const std::stop_token& stop = {}) const;
  /// Clears the cache: lookups that start later ask the server again. Lookups in progress are not affected.
  void Reset() const;

 private:
  friend class Client;
  struct State;
  explicit KindMapper(const Discovery& discovery);
  std::shared_ptr<State> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DISCOVERY_H_
