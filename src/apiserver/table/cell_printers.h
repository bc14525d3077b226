#ifndef KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_
#define KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_

// In:     an object, and what is at the path of a column
// Out:    the column's cell, where that is more than the value itself
// Thread: any; pure
// Next:   TablePrinter; which column has which is in the schemas (PrinterColumn::printer)

#include <span>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/apiserver/table/cells.h"
#include "src/apiserver/table/row.h"

namespace kinformer::apiserver {

/// Writes one cell. `value` is what is at the column's path; absent, if it has none or nothing is there.
using PrintCell = void (*)(Row& row, const Value& value, Cells& cells);

struct CellPrinter {
  std::string_view name{};
  PrintCell print = nullptr;
};

// Each in a file of its own.
std::span<const CellPrinter> CommonPrinters();
std::span<const CellPrinter> PodPrinters();
std::span<const CellPrinter> WorkloadPrinters();
std::span<const CellPrinter> CorePrinters();
std::span<const CellPrinter> NetworkPrinters();
std::span<const CellPrinter> PolicyPrinters();

std::vector<CellPrinter> AllCellPrinters();
/// Null: there is none of that name.
PrintCell FindCellPrinter(std::string_view name);

/// A cell that is the value itself, as the type of a column says: "string", "date" (how long ago), "boolean",
/// "number", "integer". False, and no cell: it is absent, or of another type.
bool PrintValue(std::string_view type, const Value& value, Timestamp now, Cells& cells);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_CELL_PRINTERS_H_
