#ifndef KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_

// In:     what a client wants an object to be, and what it is
// Out:    what it becomes: the fields that are the server's own set, those that cannot be changed kept
// Thread: any; pure but for new uids
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

/// A body as an object of the kind and place that the URL names. `name`: the URL's; empty: none (a create).
/// `duplicates`: as of ReadJson.
Result<nlohmann::json> ReadBody(const ServedKind& kind, std::string_view body, const std::string& namespace_name,
                                const std::string& name, std::vector<std::string>* duplicates = nullptr);
/// The same of what a patch made.
Result<nlohmann::json> CheckPlace(const ServedKind& kind, nlohmann::json object, const std::string& namespace_name,
                                  const std::string& name);

/// Sets what only the server may, and the name where it is to be generated. `sent`, where it is asked for, becomes the
/// object without what the server adds for its own purposes: what its creator is said to manage.
Result<void> PrepareForCreate(const ServedKind& kind, nlohmann::json& object, Timestamp now,
                              nlohmann::json* sent = nullptr);
/// `wanted` as it may be, coming from `current`; both with resourceVersion, `wanted` where it names one.
Result<void> PrepareForUpdate(const ServedKind& kind, const nlohmann::json& current, nlohmann::json& wanted,
                              Subresource subresource);
/// How long it may take to end; nullopt: at once. Pods that run somewhere are given time.
std::optional<std::int64_t> GraceOf(const ServedKind& kind, const nlohmann::json& object,
                                    const DeleteParameters& parameters);
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";
/// Has the finalizer that the policy ("Foreground", "Orphan", "Background"; empty: as it is) calls for put in, and the
/// others taken out. False if that is so already.
bool SetPropagation(nlohmann::json& object, std::string_view policy);
/// Marks it as being deleted; false if it is marked already, and nothing changes.
bool MarkDeleted(const ServedKind& kind, nlohmann::json& object, std::int64_t grace_seconds, Timestamp now);
/// It is being deleted and nothing keeps it any longer.
bool MayGo(const ServedKind& kind, const nlohmann::json& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_STRATEGY_H_
