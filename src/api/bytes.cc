#include <kinformer/api/bytes.h>

#include <utility>

#include "src/base/base64.h"

namespace kinformer::api {

Bytes Bytes::FromData(std::string_view data) { return FromBase64(kinformer::internal::EncodeBase64(data)); }

Bytes Bytes::FromBase64(std::string_view base64) {
  Bytes bytes;
  bytes.base64_.value = base64;
  return bytes;
}

std::optional<std::string> Bytes::Data() const {
  auto data = kinformer::internal::DecodeBase64(base64_.value);
  if (!data) return std::nullopt;
  return *std::move(data);
}

}  // namespace kinformer::api
