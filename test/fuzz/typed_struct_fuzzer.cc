// A typed struct reads exactly the texts that are valid JSON, and what it writes means the same, also for copies.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include <kinformer/api/json.h>

#include "src/codec/json_walker.h"
#include "test/api/example_types.h"

namespace {

namespace api = kinformer::api;

void Require(bool condition) {
  if (!condition) std::abort();
}

nlohmann::json Parse(std::string_view text) { return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false); }

template <typename T>
void Check(std::string_view text, bool is_valid) {
  const auto strict = api::DecodeStrict<T>(text);
  auto decoded = api::Decode<T>(text);
  if (strict) Require(decoded.ok() && *strict == *decoded);
  if (!decoded) {
    // Else it is of another kind.
    Require(!is_valid || decoded.error().code == kinformer::ErrorCode::kInvalidArgument);
    return;
  }
  Require(is_valid);
  nlohmann::json expected = Parse(text);
  if (T::kType.kind_name.kind != std::string_view()) {
    expected["apiVersion"] = T::kType.kind_name.api_version;
    expected["kind"] = T::kType.kind_name.kind;
  }
  T copy = *decoded;
  Require(copy == *decoded);
  const std::string written = api::ToJson(copy);
  Require(Parse(written) == expected);
  const T moved = std::move(copy);
  Require(api::ToJson(moved) == written);
  // Writing is stable.
  const auto again = api::Decode<T>(written);
  Require(again.ok() && *again == moved && api::ToJson(*again) == written);
}

void CheckTexts(std::string_view text) {
  const api::Quantity quantity(text);
  if (quantity.IsValid()) {
    const api::Quantity canonical(quantity.Canonical());
    Require(canonical == quantity && canonical.Canonical() == canonical.text());
    Require((quantity - quantity).Sign() == 0);
  }
  const api::Duration duration(text);
  if (const auto nanoseconds = duration.ToNanoseconds()) {
    Require(api::Duration(*nanoseconds).ToNanoseconds() == nanoseconds);
  }
  const api::Bytes bytes = api::Bytes::FromBase64(text);
  if (const auto data = bytes.Data()) Require(api::Bytes::FromData(*data).Data() == data);
  (void)api::IntOrString(text).ScaledValue(1000, true);
  (void)api::Time(text).ToTimestamp();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_valid = kinformer::internal::IsValidJson(text);
  Check<example::v1::Pod>(text, is_valid);
  Check<example::v1::Widget>(text, is_valid);
  Check<example::v1::SchemaProps>(text, is_valid);
  if (size < 64) CheckTexts(text);
  return 0;
}
