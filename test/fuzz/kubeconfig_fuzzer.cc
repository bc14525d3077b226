// A kubeconfig from bytes: whatever they are, there is a configuration that is valid, or an error fit for one line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <kinformer/client/config.h>

#include "src/base/base64.h"
#include "src/client/exec_plugin.h"
#include "src/client/kubeconfig.h"
#include "src/client/text.h"
#include "src/client/yaml_tree.h"

namespace {

// A crash that the fuzzer sees.
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
    // Every context, not just the current one; and merging a file with itself adds nothing.
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
