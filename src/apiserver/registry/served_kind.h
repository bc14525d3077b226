#ifndef KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_

// In:     nothing
// Out:    the server's description of each kind that it serves
// Thread: constant
// Next:   ResourceStore, the endpoints' routes and discovery

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/error.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/name_rules.h"
#include "src/apiserver/registry/renamed_storage.h"
#include "src/listwatch/storage/object_storage.h"
#include "src/schema/built_in_resources.h"
#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// The path segment after the name in a URL: "status", "scale", "finalize", "binding", "eviction".
struct ServedSubresource {
  std::string name{};
  /// The kind of its request and response bodies.
  GroupVersionKind kind{};
  std::vector<std::string> verbs{};
};

/// What the server does for the objects of one kind, besides what it does for all. Pure functions; null: nothing.
struct ObjectRules {
  /// Sets the fields that the server adds. `old`: the previous version; null on create.
  void (*complete)(nlohmann::json& object, const nlohmann::json* old) = nullptr;
  /// Sets further fields of a new object, which its creator does not own, such as a job's selector.
  void (*complete_new)(nlohmann::json& object) = nullptr;
  /// Validates the object; not called for writes through `/status`.
  void (*check)(const nlohmann::json& object, const nlohmann::json* old, std::vector<ErrorCause>& errors) = nullptr;
  /// Validates an object written through `/status`.
  void (*check_status)(const nlohmann::json& object, const nlohmann::json* old,
                       std::vector<ErrorCause>& errors) = nullptr;
  /// The status of a new object, whatever the client sent. Null: empty.
  nlohmann::json (*initial_status)(const nlohmann::json& object) = nullptr;
  /// New objects keep the client's status instead.
  bool keeps_client_status = false;
  /// The metadata member that writes through `/status` cannot change; empty: none.
  std::string_view status_excludes{};
  /// A delete responds with the object instead of a Status.
  bool shows_deleted = false;
  /// Applies what the first delete request sets besides deletionTimestamp.
  void (*mark_deleted)(nlohmann::json& object, Timestamp now) = nullptr;
  /// Converts objects that another server stored in another version.
  VersionConversion convert_stored = nullptr;
};

/// Where a Scale's values are in an object: paths such as ".spec.replicas".
struct ScalePaths {
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  /// Path of a selector in text form. Empty: built-in kinds use the labels of `.spec.selector`, custom kinds have no
  /// selector.
  std::string label_selector{};
};

/// For a kind with a status subresource: what a write through it changes besides the status.
struct StatusReach {
  bool metadata = false;
  /// The metadata member that is excluded; empty: none.
  std::string but{};
};

struct ServedKind {
  GroupVersionResource resource{};
  std::string kind{};
  std::string singular{};
  /// The kind of its lists; empty: the kind and "List".
  std::string list_kind{};
  Scope scope = Scope::kNamespaced;
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool has_status = false;
  bool has_scale = false;
  ScalePaths scale{};
  /// Namespaces: `spec.finalizers` changes only through the finalize subresource.
  bool has_finalize = false;
  /// Pods: nodes are assigned through the binding subresource.
  bool has_binding = false;
  /// Pods: the eviction subresource, a deletion subject to disruption budgets.
  bool has_eviction = false;
  /// Pods: a deletion is first written to the object, for its node to see, even if the object is removed immediately
  /// after.
  bool graceful = false;
  /// metadata.generation counts changes outside metadata and status.
  bool has_generation = false;
  /// Whether a PUT without a resourceVersion overwrites the object; if false, it is rejected.
  bool unconditional_update = true;
  /// PUT creates a missing object.
  bool create_on_update = false;
  /// Reviews, whose only verb is create: answered and never stored.
  bool create_only = false;
  /// The selectable fields by which the watch cache indexes watches.
  std::vector<std::string> trigger_fields{};
  /// Lifetime of its objects; zero: until they are deleted.
  std::chrono::seconds ttl{0};
  /// Kept in the watch cache; events are not.
  bool cached = true;
  NameRule name_rule = NameRule::kSubdomain;
  /// The kind that its objects are stored as, with renamed fields (RenamedStorage); empty: its own.
  GroupVersionKind stored_as{};
  FieldNames stored_names{};
  /// The schema from the CustomResourceDefinition, against which objects are validated. Null: a built-in kind.
  KindSchemaPtr schema{};
  /// The deprecation warning sent with every response; empty: not deprecated.
  std::string deprecation{};
  /// The kind's definition is being deleted: creates are rejected.
  bool terminating = false;
  /// Null: only what holds for all kinds. For the built-in kinds, see built_in_kinds.cc.
  const ObjectRules* rules = nullptr;
  /// How Kubernetes serves the built-in kind; null: a custom kind.
  const BuiltInResource* facts = nullptr;

  /// Sets `facts`, and from them the names, the scope and the subresources (those that this server implements).
  /// Precondition: `resource` is that of a built-in kind.
  void TakeBuiltInFacts();

  GroupVersionKind Gvk() const { return {resource.group, resource.version, kind}; }
  std::string ListKind() const { return list_kind.empty() ? kind + "List" : list_kind; }
  /// The verbs that discovery lists.
  std::vector<std::string> Verbs() const;
  std::vector<ServedSubresource> Subresources() const;
  /// The storage key prefix. Matches kube-apiserver's, so that both can share an etcd: "/registry/pods/",
  /// "/registry/deployments/", "/registry/minions/" for nodes. Custom kinds, and CustomResourceDefinitions, include the
  /// group: "/registry/example.com/webs/".
  std::string Prefix() const;
  /// Storage options; for the `stored_as` kind if it is set.
  StorageOptions ForStorage() const;
  /// Wraps `stored`, the storage made from ForStorage, so that it exposes this kind. Returns `stored` itself unless
  /// `stored_as` is set.
  std::shared_ptr<ObjectStorage> Seen(std::shared_ptr<ObjectStorage> stored) const;
  /// A custom kind, or CustomResourceDefinition itself. A real server serves these from a separate component whose
  /// metadata rules differ.
  bool IsExtension() const { return schema != nullptr || resource.group == "apiextensions.k8s.io"; }
  /// What a write through `/status` changes besides the status.
  StatusReach ReachOfStatus() const;
  /// `schema`, or that of the built-in kind, which is parsed on first use. Null: unknown.
  KindSchemaPtr FindSchema() const;
  /// The fields that a field selector may name, besides metadata.name and metadata.namespace. Does not parse the
  /// schema.
  std::vector<SelectableField> SelectableFields() const;
};

/// The kinds that every server serves, without CustomResourceDefinition.
const std::vector<ServedKind>& BuiltInKinds();
/// CustomResourceDefinition; not among BuiltInKinds().
const ServedKind& CustomResourceDefinitionKind();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_
