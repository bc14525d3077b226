#include "src/apiserver/table/table_printer.h"

#include <string_view>
#include <utility>

#include "src/schema/built_in_schemas.h"
#include "src/schema/custom_columns.h"

namespace kinformer::apiserver {
namespace {

std::vector<PrinterColumn> ColumnsOf(const GroupVersionKind& kind, const std::vector<PrinterColumn>& additional) {
  const KindSchemaPtr built_in = FindBuiltInSchema(kind);
  return built_in != nullptr ? built_in->columns : CustomColumns(additional);
}

void AppendColumn(const PrinterColumn& column, std::string& out) {
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

bool IsNothing(const Value& value, bool empty_is_nothing) {
  return !value.Exists() || value.IsNull() || (empty_is_nothing && value.Raw() == R"("")");
}

}  // namespace

TablePrinter::TablePrinter(const std::vector<PrinterColumn>& columns) : columns_text_("[") {
  columns_.reserve(columns.size());
  for (const PrinterColumn& column : columns) {
    Result<JsonPath> path = JsonPath::Parse(column.json_path);
    const bool has_path = path && !column.json_path.empty();
    columns_.push_back({.type = column.type,
                        .path = has_path ? std::optional(*std::move(path)) : std::nullopt,
                        .print = column.printer.empty() ? nullptr : FindCellPrinter(column.printer),
                        .absent = column.absent,
                        .empty_is_absent = column.empty_is_absent});
    AppendColumn(column, columns_text_);
  }
  columns_text_ += ']';
}

TablePrinter::TablePrinter(const GroupVersionKind& kind, const std::vector<PrinterColumn>& additional)
    : TablePrinter(ColumnsOf(kind, additional)) {}

void TablePrinter::AppendCell(const Column& column, Row& row, Cells& cells) {
  const Value value = column.path ? column.path->First(row.object()) : Value();
  const bool nothing = IsNothing(value, column.empty_is_absent);
  if (nothing && !column.absent.empty()) return cells.Raw(column.absent);
  if (column.print != nullptr) return column.print(row, value, cells);
  if (!nothing && PrintValue(column.type, value, row.now(), cells)) return;
  cells.Raw(column.absent.empty() ? std::string_view("null") : column.absent);
}

void TablePrinter::AppendCells(const Object& object, Timestamp now, std::string& out) const {
  out += "\"cells\":[";
  Cells cells(out);
  Row row(object, now);
  for (const Column& column : columns_) AppendCell(column, row, cells);
  out += ']';
  if (!row.conditions().empty()) {
    out += ",\"conditions\":";
    out += row.conditions();
  }
}

}  // namespace kinformer::apiserver
