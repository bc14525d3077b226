#ifndef KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
#define KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_

// In:     the columns of a kind's schema, and its objects
// Out:    columns and rows of a Table, which kubectl get prints
// Thread: constant; any thread
// Next:   the endpoints, which put them around and between what else a Table has

#include <optional>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/schema/schema.h"
#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/json_path.h"

namespace kinformer::apiserver {

/// Knows no kinds, but columns: a built-in kind and one that users have defined are shown by the same code.
class TablePrinter {
 public:
  /// `columns` are all that is shown: KindSchema::columns.
  explicit TablePrinter(const std::vector<PrinterColumn>& columns);
  /// Of a kind by its name: a built-in one as its schema says; another with its name, then the columns that are
  /// `additional` to that, or its age.
  explicit TablePrinter(const GroupVersionKind& kind, const std::vector<PrinterColumn>& additional = {});

  /// A JSON array.
  const std::string& ColumnsText() const { return columns_text_; }
  /// Appends `"cells":[…]` of one object, and `,"conditions":[…]` where its row has some. All columns have a cell: the
  /// client leaves out what it does not show.
  void AppendCells(const Object& object, Timestamp now, std::string& out) const;

 private:
  struct Column {
    std::string type{};
    /// None: there is none, or it cannot be read; nothing is there then.
    std::optional<JsonPath> path{};
    /// Null: the value itself is the cell.
    PrintCell print = nullptr;
    /// Of PrinterColumn.
    std::string absent{};
    bool empty_is_absent = false;
  };

  static void AppendCell(const Column& column, Row& row, Cells& cells);

  std::vector<Column> columns_;
  std::string columns_text_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
