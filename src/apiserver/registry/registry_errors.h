#ifndef KINFORMER_SRC_APISERVER_REGISTRY_REGISTRY_ERRORS_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_REGISTRY_ERRORS_H_

#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/meta/names.h>

#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {

/// "metadata.name: Required value: why"
ErrorCause Required(std::string field, std::string_view why);
ErrorCause Invalid(std::string field, std::string_view value, std::string_view why);
ErrorCause Forbidden(std::string field, std::string_view why);

/// 403: pods "web-0" is forbidden: why
Error ForbiddenError(const GroupVersionResource& resource, std::string_view name, std::string_view why,
                     std::vector<ErrorCause> causes = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_REGISTRY_ERRORS_H_
