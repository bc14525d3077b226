#include "src/apiserver/apply/drop_nulls.h"

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {

void DropNulls(nlohmann::json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      if (it->is_null()) {
        it = value.erase(it);
      } else {
        DropNulls(*it);
        ++it;
      }
    }
  } else if (value.is_array()) {
    for (nlohmann::json& element : value) DropNulls(element);
  }
}

}  // namespace kinformer::apiserver
