// Patches of pods: a first line that is the object, and the patch behind it. Whatever they are, the answer is an object
// that can be written, or a refusal with its status; who may do what to whose fields never gets in a muddle.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/apply/json_patch.h"
#include "src/apiserver/apply/strategic_merge.h"
#include "src/apiserver/schema/built_in_schemas.h"

namespace {

using kinformer::Result;
using kinformer::apiserver::FieldManager;
using kinformer::apiserver::FieldWriter;
using nlohmann::json;

/// What our reader of bodies takes is no deeper than that; the parser here has no bound of its own.
constexpr std::size_t kMaxInput = 4096;

// A crash that the fuzzer sees.
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

/// What was applied once changes nothing when it is applied again.
void CheckApply(const json& object, const json& config) {
  const FieldWriter writer{.manager = "fuzzer"};
  const auto applied = PodManager().Apply(object, config, writer, /*force=*/true);
  if (!applied) return Require(applied.error().http_status >= 400);
  const auto again = PodManager().Apply(applied->object, config, writer, /*force=*/true);
  Require(again.ok() && again->object == applied->object);
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
