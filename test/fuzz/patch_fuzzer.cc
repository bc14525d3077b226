// Patches of pods: the first line of the input is the object, the rest is the patch. The result is always a
// serializable object or an error with a status, and field ownership stays consistent.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/apply/json_patch.h"
#include "src/apiserver/apply/strategic_merge.h"
#include "src/schema/built_in_schemas.h"

namespace {

using kinformer::Result;
using kinformer::apiserver::FieldManager;
using kinformer::apiserver::FieldWriter;
using nlohmann::json;

/// Keeps the nesting within what the server's body reader accepts; the parser used here has no depth limit.
constexpr std::size_t kMaxInput = 4096;

// Aborts, which the fuzzer reports as a crash.
void Require(bool condition) {
  if (!condition) std::abort();
}

void RequireAnswer(const Result<json>& answer) {
  if (answer) return Require(!answer->dump(-1, ' ', false, json::error_handler_t::replace).empty());
  const int status = answer.error().http_status;
  Require(!answer.error().message.empty() && status >= 400 && status <= 500);
}

const kinformer::GroupVersionKind kPod{"", "v1", "Pod"};

const FieldManager& PodManager() {
  static const FieldManager manager({.kind = kPod,
                                     .schema = kinformer::apiserver::FindBuiltInSchema(kPod),
                                     .has_status = true,
                                     .status_reaches_metadata = true,
                                     .out_of_its_reach = "ownerReferences"});
  return manager;
}

/// Applying the same configuration twice is idempotent.
void CheckApply(const json& object, const json& config) {
  const FieldWriter writer{.manager = "fuzzer"};
  const auto applied = PodManager().Apply(object, config, writer, /*force=*/true);
  if (!applied) return Require(applied.error().http_status >= 400);
  const auto again = PodManager().Apply(*applied, config, writer, /*force=*/true);
  Require(again.ok() && *again == *applied);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxInput) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const json object = json::parse(text.substr(0, line), nullptr, /*allow_exceptions=*/false);
  const json patch = json::parse(text.substr(line + 1), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || patch.is_discarded()) return 0;
  RequireAnswer(kinformer::apiserver::ApplyJsonPatch(object, patch));
  if (!patch.is_object()) return 0;
  RequireAnswer(
      kinformer::apiserver::StrategicMerge(object, patch, *kinformer::apiserver::FindBuiltInSchema(kPod)->root));
  json written = patch;
  PodManager().Update(object, written, {.manager = "writer"});
  CheckApply(object, patch);
  return 0;
}
