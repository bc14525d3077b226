#ifndef KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
#define KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_

// In:     objects of one kind
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
#include "src/apiserver/table/json_path.h"
#include "src/apiserver/table/kind_printers.h"

namespace kinformer::apiserver {

/// Knows Kubernetes' own kinds as a real server shows them. Others are shown with the columns that they are given (a
/// CustomResourceDefinition's additionalPrinterColumns) behind the name; with their age where these are none.
class TablePrinter {
 public:
  explicit TablePrinter(const GroupVersionKind& kind, const std::vector<PrinterColumn>& columns = {});

  /// A JSON array.
  const std::string& ColumnsText() const { return columns_text_; }
  /// Appends `"cells":[…]` of one object, and `,"conditions":[…]` where its row has some. All columns have a cell: the
  /// client leaves out what it does not show.
  void AppendCells(const Object& object, Timestamp now, std::string& out) const;

 private:
  struct PathColumn {
    std::string type{};
    /// None: it cannot be read, and its cells are null.
    std::optional<JsonPath> path{};
  };

  static void AppendPathCell(const PathColumn& column, const Object& object, Timestamp now, Cells& cells);

  const KindPrinter* printer_;
  /// Without a printer and without these: name and time of creation.
  std::vector<PathColumn> paths_;
  std::string columns_text_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_TABLE_PRINTER_H_
