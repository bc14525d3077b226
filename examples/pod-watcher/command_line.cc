#include "command_line.h"

#include <charconv>
#include <optional>
#include <utility>

#include <kinformer/meta/selector.h>

namespace ki = kinformer;

const char kUsage[] =
    "usage: pod-watcher [--kubeconfig F] [--context C] [-n NS | -A] [-l SELECTOR] [--field-selector S]\n"
    "                   [-o wide|name|json] [--once] [--timeout D] [--summary]\n";

const char kHelp[] =
    "\n"
    "Watches the pods of a cluster: a live table on a terminal, a line per event otherwise.\n"
    "\n"
    "  --kubeconfig F      the kubeconfig; default: $KUBECONFIG, else ~/.kube/config, else in-cluster\n"
    "  --context C         the kubeconfig's context; default: its current-context\n"
    "  -n, --namespace NS  the namespace; default: the context's\n"
    "  -A                  all namespaces\n"
    "  -l SELECTOR         only pods with these labels, e.g. app=web,tier!=db\n"
    "  --field-selector S  only pods with these fields, e.g. spec.nodeName=n1\n"
    "  -o wide|name|json   more columns; names only; one JSON object per event\n"
    "  --once              print the existing pods and exit\n"
    "  --timeout D         time limit for the first list, e.g. 30s, 2m; default: 30s\n"
    "  --summary           finally print a line with pods, events, sync time and memory\n"
    "\n"
    "Keys of the live table, which shows the most recently changed pods first:\n"
    "\n"
    "  up, down, j, k, PgUp, PgDn, Home, End   scroll\n"
    "  s                   next sort order: changed, name, namespace, age, restarts, status, node\n"
    "  r                   reverse the order\n"
    "  /                   filter by a part of namespace/name, status or node; Enter keeps it, Esc clears it\n"
    "  ?                   help\n"
    "  q, Ctrl-C           quit\n"
    "\n"
    "NO_COLOR=1 turns colours off. TERM=dumb prints a line per event, as in a pipe.\n";

namespace {

ki::Error Wrong(std::string what) { return {.code = ki::ErrorCode::kInvalidArgument, .message = std::move(what)}; }

/// "1500ms", "30s", "2m", "1h".
std::optional<std::chrono::milliseconds> ParseDuration(const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || number <= 0 || number > 1'000'000) return std::nullopt;
  const std::string_view name(unit, static_cast<std::size_t>(last - unit));
  if (name == "ms") return std::chrono::milliseconds(number);
  if (name == "s") return std::chrono::seconds(number);
  if (name == "m") return std::chrono::minutes(number);
  if (name == "h") return std::chrono::hours(number);
  return std::nullopt;
}

ki::Result<void> SetOutput(const std::string& value, Output& output) {
  if (value == "wide") {
    output = Output::kWide;
  } else if (value == "name") {
    output = Output::kName;
  } else if (value == "json") {
    output = Output::kJson;
  } else {
    return Wrong("-o: \"" + value + "\" is none of wide, name, json");
  }
  return {};
}

ki::Result<void> Set(const std::string& option, const std::string& value, CommandLine& line) {
  if (option == "--kubeconfig") line.config.kubeconfig = value;
  if (option == "--context") line.config.context = value;
  if (option == "-n" || option == "--namespace") line.selection.namespace_name = value;
  if (option == "-o" || option == "--output") return SetOutput(value, line.output);
  if (option == "-l" || option == "--selector") {
    if (auto parsed = ki::LabelSelector::Parse(value); !parsed) return Wrong("-l: " + parsed.error().message);
    line.selection.label_selector = value;
  }
  if (option == "--field-selector") {
    if (auto parsed = ki::FieldSelector::Parse(value); !parsed) {
      return Wrong("--field-selector: " + parsed.error().message);
    }
    line.selection.field_selector = value;
  }
  if (option == "--timeout") {
    const auto timeout = ParseDuration(value);
    if (!timeout) return Wrong("--timeout: \"" + value + "\" is not a duration such as 500ms, 30s, 2m");
    line.timeout = *timeout;
  }
  return {};
}

}  // namespace

ki::Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i];
    if (option == "-h" || option == "--help") {
      line.help = true;
      return line;
    }
    if (option == "-A" || option == "--all-namespaces") {
      line.all_namespaces = true;
      continue;
    }
    if (option == "--once") {
      line.once = true;
      continue;
    }
    if (option == "--summary") {
      line.summary = true;
      continue;
    }
    std::optional<std::string> value;
    if (const std::size_t equals = option.find('='); option.starts_with("--") && equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    const bool known = option == "--kubeconfig" || option == "--context" || option == "-n" || option == "--namespace" ||
                       option == "-l" || option == "--selector" || option == "--field-selector" || option == "-o" ||
                       option == "--output" || option == "--timeout";
    if (!known) return Wrong("unknown argument " + words[i]);
    if (!value && ++i < words.size()) value = words[i];
    if (!value || value->empty()) return Wrong(option + " needs a value");
    if (auto set = Set(option, *value, line); !set) return std::move(set).error();
  }
  if (line.all_namespaces && !line.selection.namespace_name.empty()) return Wrong("-n and -A exclude each other");
  return line;
}
