#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_

// In:     objects
// Out:    the parts of a Table's text: of one object, of a list, of each event of a watch
// Thread: any; constant
// Next:   HttpExchange::Respond, WatchServer

#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/apiserver/http/buffer.h"
#include "src/apiserver/storage/object_storage.h"
#include "src/apiserver/table/table_printer.h"
#include "src/apiserver/watch/watch_server.h"

namespace kinformer::apiserver {

/// What of an object comes with its row (includeObject).
enum class RowObject { kNone, kMetadata, kWhole };

class TableText {
 public:
  TableText(TablePrinter printer, RowObject include, std::shared_ptr<const Clock> clock);

  /// A Table with one row. Of a watch, the first has columns; in the others they are null.
  void AppendObject(const ObjectPtr& object, bool with_columns, std::vector<Buffer>& parts) const;
  /// A Table with a row for each item. Nothing of the objects is copied but what is in their cells.
  std::vector<Buffer> List(const ListResult& list) const;

 private:
  void AppendRow(const ObjectPtr& object, RowObject include, std::string head, std::vector<Buffer>& parts) const;

  const TablePrinter printer_;
  const RowObject include_;
  const std::shared_ptr<const Clock> clock_;
};

/// The events of one watch as Tables.
std::unique_ptr<EventObjectWriter> TableEvents(std::shared_ptr<const TableText> table);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_TABLE_TEXT_H_
