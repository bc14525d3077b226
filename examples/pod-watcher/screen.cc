#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

namespace ki = kinformer;
using ki::core::v1::Pod;

namespace {

constexpr std::size_t kBarWidth = 30;

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

/// Columns as wide as their widest cell; lines no longer than `width`, if that is given.
std::vector<std::string> Layout(const std::vector<std::string>& titles, const std::vector<Row>& rows,
                                std::size_t width) {
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
    if (width > 0 && text.size() > width) text.resize(width);
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

void PrintLine(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

/// One JSON object a line.
class JsonLines final : public Screen {
 public:
  void OnProgress(const Progress&) override {}
  void OnEvent(Event event, const Pod& pod, bool final_state_unknown) override {
    PrintLine(JsonOf(NameOf(event), &pod, final_state_unknown).dump());
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
  void Draw(const std::vector<Pod>&) override {}
};

/// One line per event, for pipes.
class Lines final : public Screen {
 public:
  explicit Lines(Output output) : output_(output) {}

  void OnProgress(const Progress&) override {}
  void OnEvent(Event event, const Pod& pod, bool final_state_unknown) override {
    std::string line(NameOf(event));
    if (output_ == Output::kName) {
      line += " pod/" + std::string(pod.Name());
    } else {
      line.append(10 - line.size(), ' ');
      const std::vector<std::string> cells = RowOf(pod, output_).cells;
      line += cells[0] + "/" + cells[1];
      for (std::size_t i = 2; i < cells.size(); ++i) line += "  " + (cells[i].empty() ? "-" : cells[i]);
    }
    if (final_state_unknown) line += "  (its last state was not seen)";
    PrintLine(line);
  }
  void OnSynced(std::size_t pods, const std::string& resource_version) override {
    PrintLine("SYNCED    " + std::to_string(pods) + " pods at version " + resource_version);
  }
  void OnError(const ki::Error& error) override {
    std::fprintf(stderr, "pod-watcher: %s; trying again\n", ki::ToString(error).c_str());
  }
  void Draw(const std::vector<Pod>&) override {}

 private:
  Output output_;
};

/// A table that is drawn anew in place.
class Table final : public Screen {
 public:
  explicit Table(Output output) : output_(output) {}
  ~Table() override {
    if (drawn_ > 0) std::fputs("\n", stdout);
    std::fflush(stdout);
  }

  void OnProgress(const Progress& progress) override {
    std::fputs(("\rlisting  " + ToString(progress) + "\033[K").c_str(), stderr);
    progress_shown_ = true;
  }
  void OnEvent(Event, const Pod&, bool) override { ++events_; }
  void OnSynced(std::size_t, const std::string&) override {
    if (progress_shown_) std::fputs("\r\033[K", stderr);
    message_.clear();
  }
  void OnError(const ki::Error& error) override { message_ = ki::ToString(error) + "; trying again"; }
  void Draw(const std::vector<Pod>& pods) override {
    winsize size{};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    const std::size_t width = size.ws_col > 0 ? size.ws_col : 120;
    const std::size_t height = size.ws_row > 4 ? size.ws_row : 24;
    std::vector<Pod> sorted = pods;
    Sort(sorted);
    const std::size_t shown = std::min(sorted.size(), height - 4);
    std::vector<Row> rows;
    rows.reserve(shown);
    for (std::size_t i = 0; i < shown; ++i) rows.push_back(RowOf(sorted[i], output_));

    std::string text = drawn_ > 0 ? "\033[" + std::to_string(drawn_) + "A\r" : "\r";
    std::vector<std::string> lines = Layout(Titles(output_), rows, width);
    if (shown < sorted.size()) lines.push_back("... and " + std::to_string(sorted.size() - shown) + " more");
    lines.push_back(std::to_string(sorted.size()) + " pods, " + std::to_string(events_) + " events" +
                    (message_.empty() ? "" : "  " + message_) + "   (Ctrl-C ends)");
    for (std::string& line : lines) {
      if (line.size() > width) line.resize(width);
      text += line + "\033[K\n";
    }
    text += "\033[J";
    drawn_ = lines.size();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

 private:
  Output output_;
  std::size_t drawn_ = 0;
  std::size_t events_ = 0;
  bool progress_shown_ = false;
  std::string message_;
};

}  // namespace

std::string ToString(const Progress& progress) {
  std::string text;
  if (progress.remaining) {
    const auto total = progress.pods + static_cast<std::size_t>(std::max<std::int64_t>(0, *progress.remaining));
    const std::size_t filled = total == 0 ? kBarWidth : kBarWidth * progress.pods / total;
    text = "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " +
           std::to_string(progress.pods) + " of " + std::to_string(total) + " pods";
  } else {
    text = std::to_string(progress.pods) + " pods";
  }
  std::array<char, 64> figure{};
  std::snprintf(figure.data(), figure.size(), ", %.1f MB", static_cast<double>(progress.bytes) / 1e6);
  text += figure.data();
  if (progress.seconds > 0.2) {  // before that it says nothing
    std::snprintf(figure.data(), figure.size(), ", %.0f/s", static_cast<double>(progress.pods) / progress.seconds);
    text += figure.data();
  }
  return text;
}

std::string StatusOf(const Pod& pod) {
  if (pod.IsBeingDeleted()) return "Terminating";
  for (const auto& status : pod.ContainerStatuses()) {
    if (std::string reason = status.StateReason(); !reason.empty()) return reason;
  }
  if (std::string reason = pod.At("/status/reason").StringOr(""); !reason.empty()) return reason;
  return pod.Phase();
}

std::unique_ptr<Screen> MakeScreen(Output output, bool terminal) {
  if (output == Output::kJson) return std::make_unique<JsonLines>();
  if (output == Output::kName || !terminal) return std::make_unique<Lines>(output);
  return std::make_unique<Table>(output);
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
  for (const std::string& line : Layout(Titles(output), rows, 0)) PrintLine(line);
}
