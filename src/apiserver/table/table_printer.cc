#include "src/apiserver/table/table_printer.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/human_duration.h"

namespace kinformer::apiserver {
namespace {

constexpr Column kCreatedAtColumn{
    .name = "Created At", .type = "date", .description = "Time at which the object was created"};

void AppendColumn(const Column& column, std::string& out) {
  using internal::AppendQuoted;
  out += out.size() > 1 ? ",{\"name\":" : "{\"name\":";
  AppendQuoted(column.name, out);
  out += ",\"type\":";
  AppendQuoted(column.type, out);
  out += ",\"format\":";
  AppendQuoted(column.format, out);
  out += ",\"description\":";
  AppendQuoted(column.description, out);
  out += ",\"priority\":" + std::to_string(column.priority) + "}";
}

/// Groups of Kubernetes' own have no dot, or end like this.
bool IsOwnGroup(std::string_view group) {
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

PrinterColumn AgeOfCustomResource() {
  return {.name = "Age",
          .type = "date",
          .description = std::string(kAgeColumn.description),
          .json_path = ".metadata.creationTimestamp"};
}

/// Pods that have come to an end are marked, so that a client may leave them out.
std::string_view ConditionsOf(const Object& object) {
  const std::optional<std::string> phase = object.At("/status/phase").AsString();
  if (phase == "Succeeded") {
    return R"(,"conditions":[{"type":"Completed","status":"True","reason":"Succeeded",)"
           R"("message":"The pod has completed successfully."}])";
  }
  if (phase == "Failed") {
    return R"(,"conditions":[{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])";
  }
  return {};
}

bool IsNumber(const Value& value) {
  const std::string_view raw = value.Raw();
  return !raw.empty() && (raw.front() == '-' || (raw.front() >= '0' && raw.front() <= '9'));
}

}  // namespace

const KindPrinter* FindPrinter(std::string_view group, std::string_view kind) {
  const std::array<std::span<const KindPrinter>, 5> all = {PodPrinters(), WorkloadPrinters(), CorePrinters(),
                                                           NetworkPrinters(), PolicyPrinters()};
  for (const auto& printers : all) {
    for (const KindPrinter& printer : printers) {
      if (printer.group == group && printer.kind == kind) return &printer;
    }
  }
  return nullptr;
}

TablePrinter::TablePrinter(const GroupVersionKind& kind, const std::vector<PrinterColumn>& columns)
    : printer_(FindPrinter(kind.group, kind.kind)), columns_text_("[") {
  if (printer_ != nullptr) {
    for (const Column& column : printer_->columns) AppendColumn(column, columns_text_);
  } else {
    AppendColumn(kNameColumn, columns_text_);
    std::vector<PrinterColumn> shown = columns;
    if (shown.empty() && IsOwnGroup(kind.group)) {
      AppendColumn(kCreatedAtColumn, columns_text_);
    } else if (shown.empty()) {
      shown.push_back(AgeOfCustomResource());
    }
    for (const PrinterColumn& column : shown) {
      Result<JsonPath> path = JsonPath::Parse(column.json_path);
      paths_.push_back({.type = column.type, .path = path ? std::optional(*std::move(path)) : std::nullopt});
      const std::string described = column.description.empty()
                                        ? "Custom resource definition column (in JSONPath format): " + column.json_path
                                        : column.description;
      AppendColumn({.name = column.name,
                    .type = column.type,
                    .format = column.format,
                    .priority = column.priority,
                    .description = described},
                   columns_text_);
    }
  }
  columns_text_ += ']';
}

void TablePrinter::AppendPathCell(const PathColumn& column, const Object& object, Timestamp now, Cells& cells) {
  const Value value = column.path ? column.path->First(object) : Value();
  if (!value.Exists() || value.IsNull()) return cells.Null();
  if (column.type == "string") return cells.Text(value.StringOr(value.Raw()));
  if (column.type == "date") {
    const std::optional<std::string> text = value.AsString();
    if (!text) return cells.Null();
    if (text->empty()) return cells.Text("<unknown>");
    return cells.Text(ParseTimestamp(*text) ? AgeSince(*text, now) : "<invalid>");
  }
  if (column.type == "boolean") {
    const std::optional<bool> flag = value.AsBool();
    return flag ? cells.Bool(*flag) : cells.Null();
  }
  if (!IsNumber(value)) return cells.Null();
  if (column.type == "number") return cells.Raw(value.Raw());
  if (column.type != "integer") return cells.Null();
  if (const auto whole = value.AsInt()) return cells.Int(*whole);
  // Parts are cut off; what no integer holds is not shown.
  const double number = value.AsDouble().value_or(0);
  if (!(std::abs(number) < 9.2e18)) return cells.Null();
  cells.Int(static_cast<std::int64_t>(number));
}

void TablePrinter::AppendCells(const Object& object, Timestamp now, std::string& out) const {
  out += "\"cells\":[";
  Cells cells(out);
  if (printer_ != nullptr) {
    printer_->print(object, now, cells);
  } else {
    cells.Text(object.Name());
    for (const PathColumn& column : paths_) AppendPathCell(column, object, now, cells);
    if (paths_.empty()) cells.Text(object.CreationTimestamp().value_or("0001-01-01T00:00:00Z"));
  }
  out += ']';
  if (printer_ != nullptr && printer_->kind == "Pod") out += ConditionsOf(object);
}

}  // namespace kinformer::apiserver
