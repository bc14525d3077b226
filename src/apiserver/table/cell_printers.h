#ifndef KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_
#define KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_

// In:     an object, and the value at a column's path
// Out:    the column's cell, if it is not just the value
// Thread: any; pure
// Next:   TablePrinter; schemas assign printers to columns (PrinterColumn::printer)

#include <span>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/apiserver/table/cells.h"
#include "src/apiserver/table/row.h"

namespace kinformer::apiserver {

/// Writes one cell. `value`: at the column's path; absent if the column has no path or there is no value.
using PrintCell = void (*)(Row& row, const Value& value, Cells& cells);

struct CellPrinter {
  std::string_view name{};
  PrintCell print = nullptr;
};

// Each group is in a file of its own.
std::span<const CellPrinter> CommonPrinters();
std::span<const CellPrinter> PodPrinters();
std::span<const CellPrinter> WorkloadPrinters();
std::span<const CellPrinter> CorePrinters();
std::span<const CellPrinter> NetworkPrinters();
std::span<const CellPrinter> PolicyPrinters();

std::vector<CellPrinter> AllCellPrinters();
/// Null: no such printer.
PrintCell FindCellPrinter(std::string_view name);

/// Prints the value according to the column's type: "string", "date" (as an age), "boolean", "number", "integer".
/// False, without writing a cell, if the value is absent or of another type.
bool PrintValue(std::string_view type, const Value& value, Timestamp now, Cells& cells);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_
