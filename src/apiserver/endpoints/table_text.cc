#include "src/apiserver/endpoints/table_text.h"

#include <utility>

#include "src/apiserver/endpoints/list_text.h"
#include "src/codec/json_text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kHead = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)";
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

class TableEventWriter final : public EventObjectWriter {
 public:
  explicit TableEventWriter(std::shared_ptr<const TableText> table) : table_(std::move(table)) {}

  void Append(const WatchEvent& event, std::vector<Buffer>& parts) override {
    table_->AppendObject(event.object, std::exchange(first_, false), parts);
  }

 private:
  const std::shared_ptr<const TableText> table_;
  bool first_ = true;
};

}  // namespace

TableText::TableText(TablePrinter printer, RowObject include, std::shared_ptr<const Clock> clock)
    : printer_(std::move(printer)), include_(include), clock_(std::move(clock)) {}

void TableText::AppendRow(const ObjectPtr& object, RowObject include, std::string head,
                          std::vector<Buffer>& parts) const {
  head += '{';
  printer_.AppendCells(*object, clock_->WallNow(), head);
  head += ",\"object\":";
  if (include == RowObject::kNone) head += "null";
  parts.emplace_back(std::move(head));
  if (include != RowObject::kNone) {
    kinformer::apiserver::AppendObject(
        object, include == RowObject::kWhole ? ObjectForm::kWhole : ObjectForm::kMetadata, parts);
  }
}

void TableText::AppendObject(const ObjectPtr& object, bool with_columns, std::vector<Buffer>& parts) const {
  std::string head(kHead);
  head += "{\"resourceVersion\":";
  internal::AppendQuoted(object->ResourceVersion(), head);
  head += "},\"columnDefinitions\":";
  head += with_columns ? std::string_view(printer_.ColumnsText()) : "null";
  head += ",\"rows\":[";
  // Clients recognize the end of the initial events by this annotation, so that bookmark always includes its metadata.
  const bool marks_end = object->Annotations().Contains(kInitialEventsEnd);
  AppendRow(object, marks_end && include_ == RowObject::kNone ? RowObject::kMetadata : include_, std::move(head),
            parts);
  parts.push_back(Buffer::Static("}]}"));
}

std::vector<Buffer> TableText::List(const ObjectList& list) const {
  std::vector<Buffer> parts;
  parts.reserve(4 * list.items.size() + 2);
  std::string head(kHead);
  head += ListMetaText(list.metadata) + ",\"columnDefinitions\":" + printer_.ColumnsText() + ",\"rows\":[";
  for (const ObjectPtr& item : list.items) {
    AppendRow(item, include_, std::exchange(head, "},"), parts);
  }
  parts.emplace_back(list.items.empty() ? std::move(head) + "]}\n" : "}]}\n");
  return parts;
}

std::unique_ptr<EventObjectWriter> TableEvents(std::shared_ptr<const TableText> table) {
  return std::make_unique<TableEventWriter>(std::move(table));
}

}  // namespace kinformer::apiserver
