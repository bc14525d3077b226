// kinformer-chaos: see Usage. Needs E2E_ASSETS and E2E_KINFORMER_APISERVER, as test/chaos/run sets them.

#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "test/chaos/chaos_run.h"

namespace {

using kinformer::chaos::ChaosOptions;
using kinformer::chaos::ChaosRun;
using kinformer::e2e::ServerKind;

constexpr char kUsage[] =
    "usage: kinformer-chaos --server kube-apiserver|kinformer-apiserver [--seed S] [--seconds N]\n"
    "  Informers through a proxy that harms their connections, writers beside it, and a server that is killed.\n"
    "  Exit status 0: all that informers promise held. 1: it did not, and the lines say what. 2: wrong usage.\n";

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<ChaosOptions> Parse(int argc, char** argv) {
  ChaosOptions options;
  bool server_given = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    if (name == "--server" &&
        (value == NameOf(ServerKind::kKubeApiserver) || value == NameOf(ServerKind::kKinformerApiserver))) {
      options.server =
          value == NameOf(ServerKind::kKubeApiserver) ? ServerKind::kKubeApiserver : ServerKind::kKinformerApiserver;
      server_given = true;
    } else if (name == "--seed" && Number(value)) {
      options.seed = *Number(value);
    } else if (name == "--seconds" && Number(value) && *Number(value) >= 1 && *Number(value) <= 86'400) {
      options.length = std::chrono::seconds(*Number(value));
    } else {
      return std::nullopt;
    }
  }
  if (!server_given || argc % 2 == 0) return std::nullopt;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = Parse(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return ChaosRun(*options).Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kinformer-chaos: %s\n", error.what());
    return 1;
  }
}
