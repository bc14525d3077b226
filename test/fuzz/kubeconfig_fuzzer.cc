// Parses arbitrary bytes as a kubeconfig: the result is a valid configuration or a one-line error.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <kinformer/config/config.h>

#include "src/base/base64.h"
#include "src/config/exec_plugin.h"
#include "src/config/kubeconfig.h"
#include "src/config/text.h"
#include "src/yaml/yaml_tree.h"

namespace {

// Aborts, which the fuzzer reports as a crash.
void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckError(const kinformer::Error& error) {
  Check(!error.message.empty() && error.message.size() < 16384);
  Check(std::none_of(error.message.begin(), error.message.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinformer::internal;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  auto kubeconfig = ParseKubeconfig(text, "file", "/nonexistent");
  if (kubeconfig) {
    // All contexts (up to 8), not just the current one. Merging a file with itself must add nothing.
    Kubeconfig merged = *kubeconfig;
    MergeKubeconfig(merged, *kubeconfig);
    Check(merged.contexts.size() == kubeconfig->contexts.size() && merged.users.size() == kubeconfig->users.size());
    std::size_t tried = 0;
    for (const KubeconfigContext& context : kubeconfig->contexts) {
      if (++tried > 8) break;
      const auto config = ResolveKubeconfig(*kubeconfig, context.name);
      if (config) {
        Check(config->Validate().ok());
        if (config->exec) Check(!MakeExecInfo(*config, config->ca_data).empty());
      } else {
        CheckError(config.error());
      }
    }
  } else {
    CheckError(kubeconfig.error());
  }

  if (const auto tree = ParseYaml(text); tree && *tree) {
    constexpr std::size_t kLimit = 65536;
    const auto json = ToJson(**tree, kLimit);
    Check(!json || json->size() <= kLimit);
  }
  if (const auto credential = ParseExecCredential(text, "client.authentication.k8s.io/v1"); !credential) {
    CheckError(credential.error());
  }
  if (const auto decoded = DecodeBase64(text)) {
    const auto again = DecodeBase64(EncodeBase64(*decoded));
    Check(again.ok() && *again == *decoded);
  }
  Check(OneLine(text, 100, Keep::kEnd).size() <= 103);
  return 0;
}
