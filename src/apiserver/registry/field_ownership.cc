#include "src/apiserver/registry/field_ownership.h"

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {

const FieldManager& FieldOwnership::manager() const {
  std::call_once(once_, [this] {
    const StatusReach reach = kind_.ReachOfStatus();
    manager_ = std::make_unique<const FieldManager>(FieldManagerOptions{.kind = kind_.Gvk(),
                                                                        .schema = kind_.FindSchema(),
                                                                        .built_in = kind_.schema == nullptr,
                                                                        .has_status = kind_.has_status,
                                                                        .status_reaches_metadata = reach.metadata,
                                                                        .out_of_its_reach = reach.but});
  });
  return *manager_;
}

void FieldOwnership::Keep(const nlohmann::json& live, nlohmann::json& object, const Ownership& how,
                          const std::string& manager, Timestamp now) const {
  if (how.applied) return;
  this->manager().Update(live, object, {.manager = manager, .subresource = how.subresource, .now = now});
}

}  // namespace kinformer::apiserver
