#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/human_duration.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

bool IsNumber(const Value& value) {
  const std::string_view raw = value.Raw();
  return !raw.empty() && (raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9'));
}

void PrintName(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(row.object().Name()); }

void PrintAge(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(AgeSince(row.object().CreationTimestamp(), row.now()));
}

void PrintSince(Row& row, const Value& value, Cells& cells) { cells.Text(AgeOf(value, row.now())); }

void PrintText(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(TextOf(value)); }

void PrintInteger(Row& /*row*/, const Value& value, Cells& cells) { cells.Int(value.IntOr(0)); }

void PrintBoolean(Row& /*row*/, const Value& value, Cells& cells) { cells.Bool(value.BoolOr(false)); }

void PrintTrueOrFalse(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(value.BoolOr(false) ? "True" : "False");
}

void PrintTrimmed(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(internal::Trim(value.StringOr(""))); }

/// Number of elements of an array or members of an object.
void PrintSize(Row& /*row*/, const Value& value, Cells& cells) { cells.Int(static_cast<std::int64_t>(value.Size())); }

void PrintLabels(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(LabelsText(value)); }

void PrintSelector(Row& /*row*/, const Value& value, Cells& cells) { cells.TextOr(SelectorText(value), "<none>"); }

void PrintNames(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(FieldOfEach(value, "/name")); }

void PrintImages(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(FieldOfEach(value, "/image")); }

/// "Deployment/web" for an object reference.
void PrintReference(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(value.At("/kind").StringOr("") + "/" + value.At("/name").StringOr(""));
}

constexpr CellPrinter kCommonCellPrinters[] = {
    {"name", PrintName},
    {"age", PrintAge},
    {"since", PrintSince},
    {"text", PrintText},
    {"integer", PrintInteger},
    {"boolean", PrintBoolean},
    {"trimmed", PrintTrimmed},
    {"size", PrintSize},
    {"trueOrFalse", PrintTrueOrFalse},
    {"labels", PrintLabels},
    {"names", PrintNames},
    {"selector", PrintSelector},
    {"images", PrintImages},
    {"reference", PrintReference},
};

std::array<std::span<const CellPrinter>, 6> AllFiles() {
  return {CommonPrinters(), PodPrinters(), WorkloadPrinters(), CorePrinters(), NetworkPrinters(), PolicyPrinters()};
}

}  // namespace

std::span<const CellPrinter> CommonPrinters() { return kCommonCellPrinters; }

std::vector<CellPrinter> AllCellPrinters() {
  std::vector<CellPrinter> all;
  for (const auto& printers : AllFiles()) all.insert(all.end(), printers.begin(), printers.end());
  return all;
}

PrintCell FindCellPrinter(std::string_view name) {
  for (const auto& printers : AllFiles()) {
    for (const CellPrinter& printer : printers) {
      if (printer.name == name) return printer.print;
    }
  }
  return nullptr;
}

bool PrintValue(std::string_view type, const Value& value, Timestamp now, Cells& cells) {
  if (!value.Exists() || value.IsNull()) return false;
  if (type == "string") {
    cells.Text(value.StringOr(value.Raw()));
  } else if (type == "date") {
    const std::optional<std::string> text = value.AsString();
    if (!text) return false;
    cells.Text(text->empty() ? "<unknown>" : ParseTimestamp(*text) ? AgeSince(*text, now) : "<invalid>");
  } else if (type == "boolean") {
    const std::optional<bool> flag = value.AsBool();
    if (!flag) return false;
    cells.Bool(*flag);
  } else if (type == "number" && IsNumber(value)) {
    cells.Raw(value.Raw());
  } else if (type == "integer" && IsNumber(value)) {
    if (const auto whole = value.AsInt()) {
      cells.Int(*whole);
      return true;
    }
    // Fractions are truncated; values out of range are not shown.
    const double number = value.AsDouble().value_or(0);
    if (!(std::abs(number) < 9.2e18)) return false;
    cells.Int(static_cast<std::int64_t>(number));
  } else {
    return false;
  }
  return true;
}

}  // namespace kinformer::apiserver
