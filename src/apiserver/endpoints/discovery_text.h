#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_TEXT_H_

// In:     the served kinds
// Out:    the responses of /version, /api, /apis and their children
// Thread: any; pure
// Next:   ApiHandler

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

std::string VersionText();
/// /api. `host`: the Host header of the request.
std::string ApiVersionsText(std::string_view host);
/// /apis.
std::string ApiGroupListText(const std::vector<ServedKind>& kinds);
/// /apis/GROUP; nullopt: no such group.
std::optional<std::string> ApiGroupText(const std::vector<ServedKind>& kinds, std::string_view group);
/// /api/VERSION, /apis/GROUP/VERSION; nullopt: no such version.
std::optional<std::string> ApiResourceListText(const std::vector<ServedKind>& kinds, std::string_view group,
                                               std::string_view version);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_TEXT_H_
