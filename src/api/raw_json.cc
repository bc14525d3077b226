#include <kinformer/api/raw_json.h>

#include <string>
#include <utility>

#include <kinformer/base/result.h>

#include "src/api/raw_json_access.h"
#include "src/api/rest_access.h"
#include "src/codec/json_explain.h"
#include "src/codec/json_walker.h"

namespace kinformer::api {

RawJson internal::RawJsonAccess::FromValid(std::string_view json) {
  std::string compact;
  compact.reserve(json.size());
  AppendCompact(json, compact);
  return RawJson(std::move(compact));
}

RawJson::RawJson(RawJson&& other) noexcept : RawJson() { std::swap(text_, other.text_); }

RawJson& RawJson::operator=(RawJson&& other) noexcept {
  RawJson moved(std::move(other));
  std::swap(text_, moved.text_);
  return *this;
}

Result<RawJson> RawJson::Parse(std::string_view json) {
  if (!kinformer::internal::IsValidJson(json)) return kinformer::internal::MalformedJson(json);
  return internal::RawJsonAccess::FromValid(json);
}

}  // namespace kinformer::api
