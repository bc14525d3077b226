// Decodes arbitrary bytes as a protobuf body: the result is an error with a status, or one JSON object of bounded size.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "src/apiserver/protobuf/protobuf_decoder.h"

namespace {

using kinformer::apiserver::ProtobufToJson;

constexpr kinformer::apiserver::ProtobufLimits kLimits{.max_depth = 50, .max_json_bytes = std::size_t{1} << 20U};

// Aborts, which the fuzzer reports as a crash.
void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckBody(std::string_view body) {
  const auto text = ProtobufToJson(body, {.api_version = "v1", .kind = "Pod"}, kLimits);
  if (!text) {
    const int status = text.error().http_status;
    Check(!text.error().message.empty() && (status == 400 || status == 413 || status == 415));
    return;
  }
  Check(text->starts_with(R"({"apiVersion":)"));
  Check(nlohmann::json::accept(*text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckBody(bytes);
  // Also wraps the bytes in an envelope, so that most inputs get past it.
  std::string body("k8s\0\x12", 5);
  std::size_t length = size;
  for (; length >= 0x80; length >>= 7U) body += static_cast<char>(length | 0x80U);
  body += static_cast<char>(length);
  body += bytes;
  CheckBody(body);
  return 0;
}
