#ifndef KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_

// In:     an object as the client wants it, and its current version
// Out:    the object to store: server-managed fields set, immutable ones kept
// Thread: any; pure except for random uids and names
// Next:   ResourceStore, which stores it

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Parses a body and checks that it matches the kind, namespace and name in the URL. `name`: empty on create.
/// `duplicates`: as in ReadJson.
Result<nlohmann::json> ReadBody(const ServedKind& kind, std::string_view body, const std::string& namespace_name,
                                const std::string& name, std::vector<std::string>* duplicates = nullptr);
/// The same checks for an object that is already parsed, such as the result of a patch.
Result<nlohmann::json> CheckPlace(const ServedKind& kind, nlohmann::json object, const std::string& namespace_name,
                                  const std::string& name);

/// Sets server-managed fields, generates the name if needed, and validates. `sent`: if not null, receives the object
/// without what the server adds for its own purposes; managedFields attribute these fields to the creator.
Result<void> PrepareForCreate(const ServedKind& kind, nlohmann::json& object, Timestamp now,
                              nlohmann::json* sent = nullptr);
/// Turns `wanted` into the object to store in place of `current`, or fails. A resourceVersion in `wanted` is a
/// precondition.
Result<void> PrepareForUpdate(const ServedKind& kind, const nlohmann::json& current, nlohmann::json& wanted,
                              Subresource subresource);
/// Grace period in seconds; nullopt: delete immediately. Only unfinished pods assigned to a node get one.
std::optional<std::int64_t> GraceOf(const ServedKind& kind, const nlohmann::json& object,
                                    const DeleteParameters& parameters);
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";
/// Adds the finalizer of the propagation policy ("Foreground", "Orphan", "Background"; empty: no change) and removes
/// the other policies'. False if nothing changed.
bool SetPropagation(nlohmann::json& object, std::string_view policy);
/// Marks the object as being deleted. False, without a change, if it is already marked with the same or a shorter grace
/// period.
bool MarkDeleted(const ServedKind& kind, nlohmann::json& object, std::int64_t grace_seconds, Timestamp now);
/// The object is being deleted, has no finalizers left, and its grace period is zero.
bool MayGo(const ServedKind& kind, const nlohmann::json& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_
