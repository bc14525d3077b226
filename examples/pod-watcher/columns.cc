#include "columns.h"

#include <algorithm>

#include "text.h"

namespace ki = kinformer;

namespace {

using When = Column::When;
using Row = const PodRow&;
using Now = ki::Timestamp;

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

std::string RestartsAndLast(Row row, Now now) {
  std::string text = std::to_string(row.restarts);
  if (row.restarts > 0 && row.last_restart) text += " (" + HumanDuration(now - *row.last_restart) + " ago)";
  return text;
}

const Column kColumns[] = {
    {"NAMESPACE", When::kManyNamespaces, 9, 5, SortOrder::kNamespace, [](Row row, Now) { return row.namespace_name; }},
    {"NAME", When::kAlways, 14, 0, SortOrder::kName, [](Row row, Now) { return row.name; }},
    {"READY", When::kAlways, 5, 3, SortOrder::kChanged,
     [](Row row, Now) { return std::to_string(row.ready_containers) + "/" + std::to_string(row.containers); }},
    {"STATUS", When::kAlways, 9, 1, SortOrder::kStatus, [](Row row, Now) { return row.status; }},
    {"RESTARTS", When::kNotWide, 8, 4, SortOrder::kRestarts, [](Row row, Now) { return std::to_string(row.restarts); }},
    {"RESTARTS", When::kWide, 8, 4, SortOrder::kRestarts, RestartsAndLast},
    {"AGE", When::kAlways, 5, 2, SortOrder::kAge,
     [](Row row, Now now) { return row.created ? HumanDuration(now - *row.created) : std::string("<unknown>"); }},
    {"NODE", When::kAlways, 8, 6, SortOrder::kNode, [](Row row, Now) { return OrNone(row.node); }},
    {"IP", When::kWide, 9, 7, SortOrder::kChanged, [](Row row, Now) { return OrNone(row.ip); }},
    {"IMAGES", When::kWide, 10, 8, SortOrder::kChanged, [](Row row, Now) { return row.images; }},
};

/// Cuts and leaves out columns until all fit into `available`.
void Squeeze(std::vector<PlacedColumn>& columns, std::size_t available) {
  const auto natural = [](const PlacedColumn& placed) { return placed.width; };
  const auto least = [](const PlacedColumn& placed) { return std::min(placed.width, placed.column->minimum); };
  const auto total = [&](auto width_of) {
    std::size_t sum = (columns.size() - 1) * kColumnGap;
    for (const PlacedColumn& placed : columns) sum += width_of(placed);
    return sum;
  };
  while (columns.size() > 1 && total(least) > available) {
    columns.erase(std::max_element(columns.begin(), columns.end(),
                                   [](const auto& a, const auto& b) { return a.column->rank < b.column->rank; }));
  }
  if (total(least) > available) {
    columns.front().width = available;
    return;
  }
  for (std::size_t excess = total(natural) - std::min(total(natural), available); excess > 0; --excess) {
    // The widest of those that may become narrower.
    const auto spare = [&](const PlacedColumn& placed) { return placed.width > least(placed) ? placed.width : 0; };
    --std::max_element(columns.begin(), columns.end(), [&](const auto& a, const auto& b) {
        return spare(a) < spare(b);
      })->width;
  }
}

}  // namespace

std::string TitleOf(const Column& column, const PodTable& table) {
  const bool sorted = column.order != SortOrder::kChanged && column.order == table.order();
  return std::string(column.title) + (!sorted ? "" : table.reversed() ? "↑" : "↓");
}

ColumnLayout::ColumnLayout(bool many_namespaces, bool wide) {
  for (const Column& column : kColumns) {
    if (column.when == When::kManyNamespaces && !many_namespaces) continue;
    if (column.when == (wide ? When::kNotWide : When::kWide)) continue;
    columns_.push_back(&column);
  }
}

std::vector<PlacedColumn> ColumnLayout::Place(const PodTable& table, std::size_t first, std::size_t last,
                                              std::size_t width, ki::Timestamp now) {
  if (width != last_width_) Reset();
  last_width_ = width;
  widest_.resize(columns_.size());
  std::vector<PlacedColumn> placed;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t& widest = widest_[i];
    widest = std::max(widest, DisplayWidth(TitleOf(*columns_[i], table)));
    for (std::size_t row = first; row < last; ++row) {
      widest = std::max(widest, DisplayWidth(columns_[i]->cell(table[row], now)));
    }
    placed.push_back({columns_[i], std::min(widest, width)});
  }
  Squeeze(placed, width);
  return placed;
}
