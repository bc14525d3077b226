#ifndef KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_

// In:     nothing
// Out:    what the server knows of each kind that it serves
// Thread: constant
// Next:   ResourceStore, the endpoints' routes and discovery

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/error.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/name_rules.h"
#include "src/apiserver/registry/renamed_storage.h"
#include "src/apiserver/schema/schema.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// "status", "scale", "finalize", "binding", "eviction": what is behind the name in a URL.
struct ServedSubresource {
  std::string name{};
  /// Of what it takes and gives.
  GroupVersionKind kind{};
  std::vector<std::string> verbs{};
};

/// Rules of a kind that are somebody else's business than the registry's. Pure functions; null: nothing to do.
struct ObjectRules {
  /// Sets what the server adds to what a client wants. `old`: what the object was; null: it is new.
  void (*complete)(nlohmann::json& object, const nlohmann::json* old) = nullptr;
  /// What is wrong with it, beside its status.
  std::vector<ErrorCause> (*check)(const nlohmann::json& object, const nlohmann::json* old) = nullptr;
  /// What the first deletion sets besides its time.
  void (*mark_deleted)(nlohmann::json& object, Timestamp now) = nullptr;
};

/// Where a Scale finds what it is about: paths in an object (".spec.replicas").
struct ScalePaths {
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  /// A selector as text. Empty: the labels of `.spec.selector`, as built-in kinds have them; custom ones then have
  /// none.
  std::string label_selector{};
};

/// Of a kind whose status is apart, what of the rest its path changes all the same.
struct StatusReach {
  bool metadata = false;
  /// The member of metadata that it does not; empty: none.
  std::string but{};
};

struct ServedKind {
  GroupVersionResource resource{};
  std::string kind{};
  std::string singular{};
  /// Of its lists; empty: the kind and "List".
  std::string list_kind{};
  Scope scope = Scope::kNamespaced;
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool has_status = false;
  bool has_scale = false;
  ScalePaths scale{};
  /// Namespaces: `spec.finalizers` is changed through a subresource of its own.
  bool has_finalize = false;
  /// Pods: a node is given by a subresource of its own.
  bool has_binding = false;
  /// Pods: a deletion that disruption budgets have a say in.
  bool has_eviction = false;
  /// Pods: a deletion is written to the object, for its node to see, before the object goes; at once too.
  bool graceful = false;
  /// Counts changes of everything but metadata and status in metadata.generation.
  bool has_generation = false;
  /// PUT without a resourceVersion replaces whatever is there; else it is refused.
  bool unconditional_update = true;
  /// PUT of what is not there makes it.
  bool create_on_update = false;
  /// Its objects are questions, answered when they are created and never stored.
  bool create_only = false;
  /// Of its selectable fields the ones by which watches are looked up.
  std::vector<std::string> trigger_fields{};
  /// How long its objects live; zero: until they are deleted.
  std::chrono::seconds ttl{0};
  /// Kept in the watch cache; events are not.
  bool cached = true;
  NameRule name_rule = NameRule::kSubdomain;
  /// Its objects are stored as this kind's, with other names of some fields (RenamedStorage); empty: as its own.
  GroupVersionKind stored_as{};
  FieldNames stored_names{};
  /// Of a kind that a CustomResourceDefinition defines, whose objects are checked against it. Null: it is built in.
  KindSchemaPtr schema{};
  /// What every answer about it warns of; empty: it is not deprecated.
  std::string deprecation{};
  /// Of a kind whose definition is being deleted: nothing new is taken.
  bool terminating = false;
  const ObjectRules* rules = nullptr;

  GroupVersionKind Gvk() const { return {resource.group, resource.version, kind}; }
  std::string ListKind() const { return list_kind.empty() ? kind + "List" : list_kind; }
  /// What can be done with it, as discovery says.
  std::vector<std::string> Verbs() const;
  std::vector<ServedSubresource> Subresources() const;
  /// "/registry/pods/", "/registry/deployments/"; of groups that are not Kubernetes' own, and of custom kinds,
  /// with the group: "/registry/example.com/webs/".
  std::string Prefix() const;
  /// Where `stored_as` says so, of that kind.
  StorageOptions ForStorage() const;
  /// What takes the place of `stored`, the storage of ForStorage.
  std::shared_ptr<ObjectStorage> Seen(std::shared_ptr<ObjectStorage> stored) const;
  /// A custom kind, or the one that defines them. A real server has a part of its own for these, in which metadata
  /// follows other rules.
  bool IsExtension() const { return schema != nullptr || resource.group == "apiextensions.k8s.io"; }
  /// What a write through `/status` changes besides the status.
  StatusReach ReachOfStatus() const;
  /// `schema`, or that of the built-in kind, which is read when it is first asked for. Null: nobody knows it.
  KindSchemaPtr FindSchema() const;
  /// Those of its schema, of which nothing else has to be read for them. A selector may name metadata.name and
  /// metadata.namespace besides.
  std::vector<SelectableField> SelectableFields() const;
};

/// Those that every server has.
const std::vector<ServedKind>& BuiltInKinds();
/// The one by which users define others; not among the above.
const ServedKind& CustomResourceDefinitionKind();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_SERVED_KIND_H_
