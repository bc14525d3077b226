#ifndef KINFORMER_SRC_API_RAW_JSON_ACCESS_H_
#define KINFORMER_SRC_API_RAW_JSON_ACCESS_H_

#include <string_view>

#include <kinformer/api/raw_json.h>

namespace kinformer::api::internal {

struct RawJsonAccess {
  /// Precondition: valid JSON.
  static RawJson FromValid(std::string_view json);
};

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_RAW_JSON_ACCESS_H_
