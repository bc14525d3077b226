#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_

// In:     objects
// Out:    the text of a Table, in parts: of one object, of a list, of each watch event
// Thread: any; constant
// Next:   HttpExchange::Respond, WatchServer

#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/apiserver/table/table_printer.h"
#include "src/http/buffer.h"
#include "src/listwatch/storage/object_storage.h"
#include "src/listwatch/watch/watch_server.h"

namespace kinformer::apiserver {

/// How much of the object a row includes (includeObject).
enum class RowObject { kNone, kMetadata, kWhole };

class TableText {
 public:
  TableText(TablePrinter printer, RowObject include, std::shared_ptr<const Clock> clock);

  /// A Table with one row. In a watch only the first Table has columns; in the others they are null.
  void AppendObject(const ObjectPtr& object, bool with_columns, std::vector<Buffer>& parts) const;
  /// A Table with one row per item. Copies nothing of the objects except the cells' values.
  std::vector<Buffer> List(const ObjectList& list) const;

 private:
  void AppendRow(const ObjectPtr& object, RowObject include, std::string head, std::vector<Buffer>& parts) const;

  const TablePrinter printer_;
  const RowObject include_;
  const std::shared_ptr<const Clock> clock_;
};

/// Writes the events of one watch as Tables.
std::unique_ptr<EventObjectWriter> TableEvents(std::shared_ptr<const TableText> table);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_
