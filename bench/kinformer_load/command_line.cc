#include "bench/kinformer_load/command_line.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace kinformer::bench {

const char kLoadUsage[] =
    "usage: kinformer-load --kubeconfig F [--watchers 1000] [--creations 2000] [--writers 16] [--object-bytes 1024]\n"
    "                      [--resource configmaps|pods] [--server-pid P]... [--token-file T] [--keep yes|no] "
    "[--timeout S]\n"
    "       kinformer-load list --kubeconfig F [--objects 20000] [--reads 5] [--writers 16] [--server-pid P]...\n"
    "                      [--token-file T] [--keep yes|no] [--timeout S]\n"
    "       kinformer-load serve --kubeconfig-out F --token-out T\n"
    "\n"
    "By default, measures watches: each watcher has its own connection and must see every creation once, in the same\n"
    "order as all others. Prints one line:\n"
    "  watchers= creations= seconds= deliveries= deliveries_per_s= server_cpu_s= resumed= client_cpu_s=\n"
    "list creates pods of 7 KB and reads them repeatedly, without paging. Prints one line of medians:\n"
    "  objects= mb= seconds= mb_per_s= server_cpu_s=\n"
    "serve runs an API server without TLS, for list, until it is terminated.\n"
    "\n"
    "  --writers N       connections that create objects, one at a time each\n"
    "  --object-bytes N  size of the JSON that is sent\n"
    "  --server-pid P    process whose CPU time counts as the server's; may be repeated\n"
    "  --keep yes|no     keep the created objects, default no; for a server that is discarded afterwards\n"
    "  --token-file T    token to use instead of the kubeconfig's credentials, for a server without TLS\n"
    "  --timeout S       idle timeout, default 60\n"
    "\n"
    "Objects are created in a new namespace, which is deleted at the end unless --keep is yes.\n";

namespace {

constexpr std::uint64_t kLeastObjectBytes = 256;
constexpr std::uint64_t kMostObjectBytes = 1U << 20U;

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(what)}; }

struct NumberOption {
  std::string_view name;
  bool watch;
  bool list;
  std::size_t LoadCommandLine::*number;
  std::uint64_t least;
  std::uint64_t most;
};

constexpr NumberOption kNumbers[] = {
    {"--watchers", true, false, &LoadCommandLine::watchers, 1, 100'000},
    {"--creations", true, false, &LoadCommandLine::creations, 1, 1'000'000},
    {"--writers", true, true, &LoadCommandLine::writers, 1, 1'000},
    {"--object-bytes", true, false, &LoadCommandLine::object_bytes, kLeastObjectBytes, kMostObjectBytes},
    {"--objects", false, true, &LoadCommandLine::objects, 1, 1'000'000},
    {"--reads", false, true, &LoadCommandLine::reads, 1, 1'000},
};

Result<std::uint64_t> Number(const std::string& option, const std::string& text, std::uint64_t least,
                             std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return Wrong(option + ": \"" + text + "\" is not a number from " + std::to_string(least) + " to " +
                 std::to_string(most));
  }
  return number;
}

Result<void> Set(const std::string& option, const std::string& value, LoadCommandLine& line) {
  const bool serve = line.mode == LoadMode::kServe;
  if (serve && option == "--kubeconfig-out") {
    line.kubeconfig_out = value;
  } else if (serve && option == "--token-out") {
    line.token_out = value;
  } else if (!serve && option == "--token-file") {
    line.token_file = value;
  } else if (!serve && option == "--kubeconfig") {
    line.kubeconfig = value;
  } else if (line.mode == LoadMode::kWatch && option == "--resource") {
    if (value != "configmaps" && value != "pods") return Wrong("--resource: configmaps or pods, not \"" + value + "\"");
    line.resource = value;
  } else if (!serve && option == "--keep") {
    if (value != "yes" && value != "no") return Wrong("--keep: yes or no, not \"" + value + "\"");
    line.keep = value == "yes";
  } else if (!serve && option == "--timeout") {
    const auto seconds = Number(option, value, 1, 3600);
    if (!seconds) return seconds.error();
    line.timeout = std::chrono::seconds(*seconds);
  } else if (!serve && option == "--server-pid") {
    const auto pid = Number(option, value, 1, 1U << 22U);
    if (!pid) return pid.error();
    line.server_pids.push_back(static_cast<pid_t>(*pid));
  } else {
    for (const NumberOption& known : kNumbers) {
      if (known.name != option || !(line.mode == LoadMode::kWatch ? known.watch : known.list && !serve)) continue;
      const auto number = Number(option, value, known.least, known.most);
      if (!number) return number.error();
      line.*known.number = *number;
      return {};
    }
    return Wrong("unknown argument " + option);
  }
  return {};
}

}  // namespace

Result<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  for (const std::string& word : words) {
    if (word == "-h" || word == "--help") return line;
  }
  std::size_t i = 0;
  line.mode = LoadMode::kWatch;
  if (!words.empty() && words[0] == "list") line.mode = LoadMode::kList;
  if (!words.empty() && words[0] == "serve") line.mode = LoadMode::kServe;
  if (line.mode != LoadMode::kWatch) ++i;
  for (; i < words.size(); ++i) {
    std::string option = words[i];
    std::optional<std::string> value;
    if (const std::size_t equals = option.find('='); equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    if (!option.starts_with("--")) return Wrong("unknown argument " + option);
    if (!value && ++i < words.size()) value = words[i];
    if (!value || value->empty()) return Wrong(option + " needs a value");
    if (auto set = Set(option, *value, line); !set) return std::move(set).error();
  }
  if (line.mode != LoadMode::kServe) {
    if (line.kubeconfig.empty()) return Wrong("--kubeconfig is missing");
  } else if (line.kubeconfig_out.empty() || line.token_out.empty()) {
    return Wrong("serve needs --kubeconfig-out and --token-out");
  }
  return line;
}

}  // namespace kinformer::bench
