#include "live_view.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "text.h"

namespace ki = kinformer;
using namespace std::chrono_literals;

namespace {

/// '>' for selected, '*' for changed.
constexpr std::size_t kGutter = 2;
constexpr auto kRecently = 3s;

Style StyleOf(Health health) {
  switch (health) {
    case Health::kGood:
      return kGreen;
    case Health::kChanging:
      return kYellow;
    case Health::kFailing:
      return kRed;
    case Health::kDone:
      return kDim;
  }
  return kPlain;
}

constexpr std::string_view kHelpLines[] = {
    "  ↑ ↓  j k       one pod up or down",
    "  PgUp PgDn      one page up or down",
    "  Home End  g G  first or last pod",
    "  s              next sort order",
    "  r              reverse the order",
    "  /              filter: Enter keeps it,",
    "                 Esc clears it",
    "  q  Ctrl-C      quit",
    "",
    "  > selected: followed when it moves, except in the first row",
    "  * changed in the last 3 seconds",
    "",
    "  The filter matches a part of namespace/name, status or node.",
};

}  // namespace

LiveView::LiveView(LiveViewOptions options)
    : options_(std::move(options)), layout_(options_.namespace_name.empty(), options_.wide) {}

void LiveView::Apply(Changes changes) {
  table_.Apply(std::move(changes));
  if (selected_key_.empty()) return;
  const auto position = table_.Find(selected_key_);
  if (!position) return Select(selected_);  // gone: the pod that took its place
  const std::size_t above = selected_ - std::min(selected_, first_);
  selected_ = *position;
  first_ = selected_ - std::min(selected_, above);
}

void LiveView::SetProblem(std::string_view problem) { problem_ = Printable(problem); }

bool LiveView::Handle(const Key& key) {
  if (mode_ == Mode::kEditFilter) {
    HandleFilter(key);
    return true;
  }
  if (key.text == "q") return false;
  if (mode_ == Mode::kShowHelp) {
    mode_ = Mode::kShowTable;
  } else {
    HandleTable(key);
  }
  return true;
}

void LiveView::HandleFilter(const Key& key) {
  switch (key.code) {
    case Key::Code::kText:
      return SetFilter(filter_ + Printable(key.text));
    case Key::Code::kBackspace:
      return SetFilter(std::string(WithoutLastCharacter(filter_)));
    case Key::Code::kClearLine:
      return SetFilter("");
    case Key::Code::kEscape:
      mode_ = Mode::kShowTable;
      return SetFilter("");
    case Key::Code::kEnter:
      mode_ = Mode::kShowTable;
      return;
    default:
      return HandleTable(key);
  }
}

void LiveView::HandleTable(const Key& key) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, page_));
  switch (key.code) {
    case Key::Code::kUp:
      return SelectBy(-1);
    case Key::Code::kDown:
      return SelectBy(1);
    case Key::Code::kPageUp:
      return SelectBy(-page);
    case Key::Code::kPageDown:
      return SelectBy(page);
    case Key::Code::kHome:
      return Select(0);
    case Key::Code::kEnd:
      return Select(table_.size());
    case Key::Code::kEscape:
      return SetFilter("");
    default:
      break;
  }
  if (key.text == "k") return SelectBy(-1);
  if (key.text == "j") return SelectBy(1);
  if (key.text == "g") return Select(0);
  if (key.text == "G") return Select(table_.size());
  if (key.text == "s") return SortBy(Next(table_.order()), false);
  if (key.text == "r") return SortBy(table_.order(), !table_.reversed());
  if (key.text == "/") mode_ = Mode::kEditFilter;
  if (key.text == "?") mode_ = Mode::kShowHelp;
}

void LiveView::SetFilter(std::string text) {
  if (text == filter_) return;
  filter_ = std::move(text);
  table_.FilterBy(filter_);
  layout_.Reset();
  Select(0);
}

void LiveView::SortBy(SortOrder order, bool reversed) {
  table_.SortBy(order, reversed);
  layout_.Reset();
  Select(0);
}

void LiveView::Select(std::size_t position) {
  selected_ = std::min(position, std::max<std::size_t>(1, table_.size()) - 1);
  selected_key_ = selected_ == 0 ? "" : KeyOf(table_[selected_]);
}

void LiveView::SelectBy(std::ptrdiff_t rows) {
  Select(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(selected_) + rows)));
}

void LiveView::ScrollTo(std::size_t rows) {
  page_ = rows;
  first_ = std::min({first_, selected_, table_.size() - std::min(table_.size(), rows)});
  if (selected_ >= first_ + rows) first_ = selected_ + 1 - rows;
}

std::vector<std::string> LiveView::Render(std::size_t width, std::size_t height, ki::Timestamp now) {
  std::vector<std::string> lines;
  if (width == 0 || height == 0) return lines;
  if (mode_ == Mode::kShowHelp) {
    for (const std::string_view line : kHelpLines) lines.push_back(Cut(line, width));
  } else {
    lines = SummaryLines(width, std::max<std::size_t>(1, height / 3));
    for (const std::string& line : Wrap(problem_, width, std::max<std::size_t>(1, height / 8))) {
      lines.push_back(Colour(kRed)(line));
    }
    AddTable(width, height - 1, now, lines);
  }
  lines.resize(height - 1);
  lines.push_back(FooterLine(width));
  return lines;
}

std::vector<std::string> LiveView::SummaryLines(std::size_t width, std::size_t max_lines) const {
  const Summary& summary = table_.summary();
  std::vector<std::string> lines{""};
  std::size_t used = 0;
  const auto add = [&](const std::string& text, const Style& style) {
    if (used > 0 && used + kColumnGap + DisplayWidth(text) > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) lines.back().append(kColumnGap, ' ');
    const std::string shown = Cut(text, width);
    used += (used > 0 ? kColumnGap : 0) + DisplayWidth(shown);
    lines.back() += style(shown);
  };
  const auto count = [&](auto number, const std::string& what, const Style& style) {
    if (number > 0) add(std::to_string(number) + " " + what, Colour(style));
  };
  add(std::to_string(summary.pods) + (summary.pods == 1 ? " pod" : " pods") +
          (options_.namespace_name.empty() ? "" : " in " + options_.namespace_name),
      kBold);
  count(summary.Of(Phase::kRunning), "Running", kGreen);
  count(summary.not_ready, "not ready", kYellow);
  count(summary.Of(Phase::kPending), "Pending", kYellow);
  count(summary.Of(Phase::kFailed), "Failed", kRed);
  count(summary.Of(Phase::kUnknown), "Unknown", kRed);
  count(summary.Of(Phase::kSucceeded), "Succeeded", kDim);
  add(std::to_string(summary.restarts) + (summary.restarts == 1 ? " restart" : " restarts"), kPlain);
  if (lines.size() > max_lines) lines.resize(max_lines);
  return lines;
}

void LiveView::AddTable(std::size_t width, std::size_t height, ki::Timestamp now, std::vector<std::string>& lines) {
  if (lines.size() + 2 > height) return;  // no room for the header and a row
  const std::size_t rows = height - lines.size() - 1;
  ScrollTo(rows);
  const std::size_t last = std::min(table_.size(), first_ + rows);
  const auto columns = layout_.Place(table_, first_, last, width - std::min(width, kGutter), now);
  std::string header;
  for (const auto& [column, column_width] : columns) {
    header.append(header.empty() ? kGutter : kColumnGap, ' ');
    header += Fit(TitleOf(*column, table_), column_width);
  }
  lines.push_back(kBold(Cut(header, width)));
  for (std::size_t i = first_; i < last; ++i) lines.push_back(RowLine(columns, i, width, now));
  if (table_.size() == 0) {
    lines.push_back(Cut(filter_.empty() ? "  no pods" : "  no pod matches \"" + filter_ + "\"", width));
  }
}

std::string LiveView::RowLine(const std::vector<PlacedColumn>& columns, std::size_t position, std::size_t width,
                              ki::Timestamp now) const {
  const PodRow& row = table_[position];
  const bool selected = position == selected_;
  const bool changed = row.changed && now - *row.changed < kRecently;
  std::string line = Cut(std::string(selected ? ">" : " ") + (changed ? "*" : " "), width);
  bool first = true;
  for (const auto& [column, column_width] : columns) {
    if (!std::exchange(first, false)) line.append(kColumnGap, ' ');
    const std::string cell = Fit(column->cell(row, now), column_width);
    const bool is_status = column->order == SortOrder::kStatus && row.health != Health::kDone;
    line += (is_status ? Colour(StyleOf(row.health)) : kPlain)(cell);
  }
  if (row.health == Health::kDone) line = Colour(kDim)(line);
  if (changed) line = kBold(line);
  if (!selected) return line;
  line.append(width - std::min(width, DisplayWidth(line)), ' ');
  return kReverse(line);
}

std::string LiveView::FooterLine(std::size_t width) const {
  if (mode_ == Mode::kEditFilter) return FilterPrompt(width);
  if (mode_ == Mode::kShowHelp) return Cut("any key: back  q: quit", width);
  return Hints(width);
}

std::string LiveView::FilterPrompt(std::size_t width) const {
  const std::string prompt = "filter: ";
  const std::string hint = "  Enter keeps, Esc clears";
  const std::string cursor = kReverse(" ");
  if (width <= prompt.size() + 1) return Cut(filter_, width - 1) + cursor;
  // The end of a long text is where the user types.
  std::string_view text = filter_;
  while (DisplayWidth(text) + prompt.size() + 1 > width) text = WithoutFirstCharacter(text);
  std::string line = kBold(prompt) + std::string(text) + cursor;
  if (DisplayWidth(line) + hint.size() <= width) line += Colour(kDim)(hint);
  return line;
}

std::string LiveView::Hints(std::size_t width) const {
  struct Hint {
    std::string key;
    std::string what;
    int rank;  // the highest is left out first
  };
  std::vector<Hint> hints = {
      {"↑↓", "scroll", 4}, {"s", "sort:" + std::string(NameOf(table_.order())) + (table_.reversed() ? "↑" : "↓"), 1},
      {"r", "reverse", 5}, {"/", filter_.empty() ? "filter" : Cut(filter_, 20), 2},
      {"?", "help", 3},    {"q", "quit", 0}};
  if (!options_.keys) hints = {{"Ctrl-C", "quit", 0}};
  const auto joined = [&](std::size_t gap) {
    std::string text;
    for (const Hint& hint : hints) {
      text.append(text.empty() ? 0 : gap, ' ').append(kBold(hint.key)).append(" ").append(hint.what);
    }
    return text;
  };
  std::string line = joined(2);
  while (DisplayWidth(line) > width && hints.size() > 1) {
    line = joined(1);
    if (DisplayWidth(line) <= width) break;
    hints.erase(
        std::max_element(hints.begin(), hints.end(), [](const Hint& a, const Hint& b) { return a.rank < b.rank; }));
    line = joined(2);
  }
  if (DisplayWidth(line) > width) return Cut(options_.keys ? "q quit" : "Ctrl-C", width);
  const std::string position =
      std::to_string(std::min(selected_ + 1, table_.size())) + "/" + std::to_string(table_.size());
  for (const std::string& right : {position + "  " + std::to_string(events_) + " events", position}) {
    const std::size_t used = DisplayWidth(line) + right.size();
    if (used + kColumnGap <= width) return line.append(width - used, ' ').append(right);
  }
  return line;
}
