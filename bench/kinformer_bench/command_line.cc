#include "bench/kinformer_bench/command_line.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace kinformer::bench {

const char kUsage[] =
    "usage: kinformer-bench informer --server URL | --kubeconfig F [--resource pods] [--events N] [--handlers H]\n"
    "                                [--paged] [--keep-managed-fields] [--timeout S]\n"
    "       kinformer-bench relist   --server URL | --kubeconfig F --events N [--paged] [--timeout S]\n"
    "       kinformer-bench idle     --server URL | --kubeconfig F [--informers N] [--seconds S] [--timeout S]\n"
    "\n"
    "  informer  prints the cost of the sync, then of N updates; latency is the time from an object's\n"
    "            annotation bench/sent (nanoseconds since the epoch) to the handler\n"
    "  relist    syncs, waits until the server forces a relist with N updates, and prints the peak memory\n"
    "  idle      runs N informers without events, and prints the CPU and memory they use in S seconds\n"
    "\n"
    "  --paged                paged lists instead of streaming ones\n"
    "  --keep-managed-fields  keep metadata.managedFields in the cache\n"
    "  --timeout S            time limit per step, default 120\n";

namespace {

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(what)}; }

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

Result<void> Set(const std::string& option, const std::string& value, CommandLine& line) {
  if (option == "--server") {
    line.server = value;
  } else if (option == "--kubeconfig") {
    line.kubeconfig = value;
  } else if (option == "--resource") {
    line.resource = value;
  } else {
    const bool time = option == "--seconds" || option == "--timeout";
    const auto number = Number(option, value, option == "--events" ? 0 : 1,
                               time                   ? 3600
                               : option == "--events" ? 100'000'000
                                                      : 10'000);
    if (!number) return number.error();
    if (option == "--events") line.events = *number;
    if (option == "--handlers") line.handlers = *number;
    if (option == "--informers") line.informers = *number;
    if (option == "--seconds") line.seconds = std::chrono::seconds(*number);
    if (option == "--timeout") line.timeout = std::chrono::seconds(*number);
  }
  return {};
}

bool Takes(Mode mode, std::string_view option) {
  if (option == "--server" || option == "--kubeconfig" || option == "--timeout") return true;
  if (option == "--paged") return mode != Mode::kIdle;
  if (option == "--events") return mode != Mode::kIdle;
  if (option == "--informers" || option == "--seconds") return mode == Mode::kIdle;
  return mode == Mode::kInformer &&
         (option == "--resource" || option == "--handlers" || option == "--keep-managed-fields");
}

std::optional<Mode> ModeOf(std::string_view word) {
  if (word == "informer") return Mode::kInformer;
  if (word == "relist") return Mode::kRelist;
  if (word == "idle") return Mode::kIdle;
  return std::nullopt;
}

}  // namespace

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words) {
  CommandLine line;
  for (const std::string& word : words) {
    if (word == "-h" || word == "--help") return line;
  }
  if (words.empty()) return Wrong("which benchmark?");
  const std::optional<Mode> mode = ModeOf(words[0]);
  if (!mode) return Wrong("unknown benchmark " + words[0]);
  line.mode = *mode;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string option = words[i];
    std::optional<std::string> value;
    if (const std::size_t equals = option.find('='); equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    if (option == "--compact") return Wrong("--compact: the compressed cache is not available yet");
    if (!Takes(line.mode, option)) return Wrong("unknown argument " + words[i]);
    if (option == "--paged" || option == "--keep-managed-fields") {
      if (value) return Wrong(option + " takes no value");
      (option == "--paged" ? line.paged : line.keep_managed_fields) = true;
      continue;
    }
    if (!value && ++i < words.size()) value = words[i];
    if (!value || value->empty()) return Wrong(option + " needs a value");
    if (auto set = Set(option, *value, line); !set) return std::move(set).error();
  }
  if (line.mode == Mode::kRelist && line.events == 0) return Wrong("relist needs --events");
  if (line.server.empty() == line.kubeconfig.empty()) return Wrong("one of --server and --kubeconfig");
  return line;
}

}  // namespace kinformer::bench
