// A line per event, for pipes; and what is there, for --once. Programs read these lines: their form is a contract.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "display.h"

namespace ki = kinformer;
using ki::core::v1::Pod;

namespace {

std::string_view NameOf(Event event) {
  switch (event) {
    case Event::kAdded:
      return "ADDED";
    case Event::kModified:
      return "MODIFIED";
    case Event::kDeleted:
      return "DELETED";
  }
  return "";
}

struct Row {
  std::vector<std::string> cells;
};

std::vector<std::string> Titles(Output output) {
  std::vector<std::string> titles{"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS"};
  if (output == Output::kWide) {
    titles.emplace_back("IP");
    titles.emplace_back("NODE");
    titles.emplace_back("IMAGES");
  }
  return titles;
}

/// The phase, or why a container does not run. Simpler than the status of the live table, and kept as it is.
std::string StatusOf(const Pod& pod) {
  if (pod.IsBeingDeleted()) return "Terminating";
  for (const auto& status : pod.ContainerStatuses()) {
    if (std::string reason = status.StateReason(); !reason.empty()) return reason;
  }
  if (std::string reason = pod.At("/status/reason").StringOr(""); !reason.empty()) return reason;
  return pod.Phase();
}

Row RowOf(const Pod& pod, Output output) {
  const auto statuses = pod.ContainerStatuses();
  std::int64_t restarts = 0;
  std::size_t ready = 0;
  for (const auto& status : statuses) {
    restarts += status.RestartCount();
    ready += status.Ready() ? 1 : 0;
  }
  const auto containers = pod.Containers();
  Row row{{std::string(pod.Namespace()), std::string(pod.Name()),
           std::to_string(ready) + "/" + std::to_string(containers.size()), StatusOf(pod), std::to_string(restarts)}};
  if (output == Output::kWide) {
    std::string images;
    for (const auto& container : containers) images += (images.empty() ? "" : ",") + container.Image();
    row.cells.push_back(pod.PodIP());
    row.cells.push_back(pod.NodeName());
    row.cells.push_back(std::move(images));
  }
  return row;
}

/// Columns as wide as their widest cell.
std::vector<std::string> Layout(const std::vector<std::string>& titles, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  widths.reserve(titles.size());
  for (const std::string& title : titles) widths.push_back(title.size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row.cells[i].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += cells[i];
      if (i + 1 < cells.size()) text.append(widths[i] - cells[i].size() + 3, ' ');
    }
    return text;
  };
  std::vector<std::string> lines{line(titles)};
  for (const Row& row : rows) lines.push_back(line(row.cells));
  return lines;
}

void Sort(std::vector<Pod>& pods) {
  std::sort(pods.begin(), pods.end(), [](const Pod& a, const Pod& b) {
    return std::pair(a.Namespace(), a.Name()) < std::pair(b.Namespace(), b.Name());
  });
}

/// The fields of every line, in this order; a line that is about no pod leaves most of them empty.
nlohmann::ordered_json JsonOf(std::string_view event, const Pod* pod, bool final_state_unknown = false) {
  const auto text = [&](auto get) { return pod == nullptr ? std::string() : std::string(get(*pod)); };
  return {{"event", event},
          {"namespace", text([](const Pod& p) { return p.Namespace(); })},
          {"name", text([](const Pod& p) { return p.Name(); })},
          {"resourceVersion", text([](const Pod& p) { return p.ResourceVersion(); })},
          {"phase", text([](const Pod& p) { return p.Phase(); })},
          {"node", text([](const Pod& p) { return p.NodeName(); })},
          {"finalStateUnknown", final_state_unknown}};
}

/// May be called concurrently: lines stay whole.
void PrintLine(std::string line) {
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// All is shown by the callbacks.
class StatelessDisplay : public Display {
 public:
  void Run(const std::function<ki::InformerStatus()>&, const std::stop_token& stop) override {
    (void)ki::Clock::System()->SleepUntil(ki::Clock::kNever, stop);
  }
};

/// One JSON object a line.
class JsonLines final : public StatelessDisplay {
 public:
  void OnEvent(Event event, const Pod& pod, const EventDetails& details) override {
    PrintLine(JsonOf(NameOf(event), &pod, details.final_state_unknown).dump());
  }
  void OnSynced(std::size_t pods, const std::string& resource_version) override {
    nlohmann::ordered_json line = JsonOf("SYNCED", nullptr);
    line["resourceVersion"] = resource_version;
    line["objects"] = pods;
    PrintLine(line.dump());
  }
  void OnError(const ki::Error& error) override {
    nlohmann::ordered_json line = JsonOf("ERROR", nullptr);
    line["message"] = ki::ToString(error);
    line["code"] = error.http_status;
    PrintLine(line.dump());
  }
};

/// One line per event, for pipes.
class Lines final : public StatelessDisplay {
 public:
  explicit Lines(Output output) : output_(output) {}

  void OnEvent(Event event, const Pod& pod, const EventDetails& details) override {
    std::string line(NameOf(event));
    if (output_ == Output::kName) {
      line += " pod/" + std::string(pod.Name());
    } else {
      line.append(10 - line.size(), ' ');
      const std::vector<std::string> cells = RowOf(pod, output_).cells;
      line += cells[0] + "/" + cells[1];
      for (std::size_t i = 2; i < cells.size(); ++i) line += "  " + (cells[i].empty() ? "-" : cells[i]);
    }
    if (details.final_state_unknown) line += "  (its last state was not seen)";
    PrintLine(line);
  }
  void OnSynced(std::size_t pods, const std::string& resource_version) override {
    PrintLine("SYNCED    " + std::to_string(pods) + " pods at version " + resource_version);
  }
  void OnError(const ki::Error& error) override {
    std::fprintf(stderr, "pod-watcher: %s; trying again\n", ki::ToString(error).c_str());
  }

 private:
  Output output_;
};

}  // namespace

std::unique_ptr<Display> MakeLineDisplay(Output output) {
  if (output == Output::kJson) return std::make_unique<JsonLines>();
  return std::make_unique<Lines>(output);
}

void PrintAll(Output output, const std::vector<Pod>& pods) {
  std::vector<Pod> sorted = pods;
  Sort(sorted);
  if (output == Output::kJson) {
    for (const Pod& pod : sorted) PrintLine(JsonOf("ADDED", &pod).dump());
    return;
  }
  if (output == Output::kName) {
    for (const Pod& pod : sorted) PrintLine("pod/" + std::string(pod.Name()));
    return;
  }
  std::vector<Row> rows;
  rows.reserve(sorted.size());
  for (const Pod& pod : sorted) rows.push_back(RowOf(pod, output));
  for (const std::string& line : Layout(Titles(output), rows)) PrintLine(line);
}
