#ifndef KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
#define KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_

// In:     the columns of a kind's schema, and its objects
// Out:    columns and rows of a Table, as printed by kubectl get
// Thread: any; immutable
// Next:   the endpoints, which write the rest of the Table

#include <optional>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/json_path.h"
#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Depends only on columns: built-in and custom kinds share the same code.
class TablePrinter {
 public:
  /// `columns`: all columns, as in KindSchema::columns.
  explicit TablePrinter(const std::vector<PrinterColumn>& columns);
  /// By kind: a built-in kind uses its schema's columns; any other kind its name, followed by `additional` or, if that
  /// is empty, by its age.
  explicit TablePrinter(const GroupVersionKind& kind, const std::vector<PrinterColumn>& additional = {});

  /// The column definitions, a JSON array.
  const std::string& ColumnsText() const { return columns_text_; }
  /// Appends `"cells":[…]` of one object, and `,"conditions":[…]` if its row has any. Every column gets a cell; clients
  /// hide what they do not show.
  void AppendCells(const Object& object, Timestamp now, std::string& out) const;

 private:
  struct Column {
    std::string type{};
    /// Nullopt: no path, or an invalid one; the value is then absent.
    std::optional<JsonPath> path{};
    /// Null: the cell is the value itself.
    PrintCell print = nullptr;
    /// See PrinterColumn.
    std::string absent{};
    bool empty_is_absent = false;
  };

  static void AppendCell(const Column& column, Row& row, Cells& cells);

  std::vector<Column> columns_;
  std::string columns_text_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
