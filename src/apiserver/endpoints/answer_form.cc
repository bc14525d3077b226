#include "src/apiserver/endpoints/answer_form.h"

#include <string>
#include <utility>

#include "src/apiserver/endpoints/list_text.h"
#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/schema/built_in_schemas.h"
#include "src/apiserver/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

Result<RowObject> ReadIncludeObject(const UrlQuery& query) {
  const std::string* text = query.Find("includeObject");
  if (text == nullptr || text->empty() || *text == "Metadata") return RowObject::kMetadata;
  if (*text == "None") return RowObject::kNone;
  if (*text == "Object") return RowObject::kWhole;
  return BadRequestError("unrecognized includeObject value: \"" + *text + "\"");
}

}  // namespace

Result<AnswerForm> AgreeOnForm(const HttpRequest& request, const RequestInfo& info, const ServedKind& kind,
                               const std::shared_ptr<const Clock>& clock) {
  const Result<AcceptedForm> accepted = NegotiateForm(request);
  if (!accepted) return accepted.error();
  if (*accepted != AcceptedForm::kTable) {
    return AnswerForm{.object = *accepted == AcceptedForm::kMetadata ? ObjectForm::kMetadata : ObjectForm::kWhole};
  }
  const Result<RowObject> include = ReadIncludeObject(info.query);
  if (!include) return include.error();
  const KindSchemaPtr schema =
      info.subresource == "scale" ? FindBuiltInSchema({"autoscaling", "v1", "Scale"}) : kind.FindSchema();
  TablePrinter printer = schema != nullptr ? TablePrinter(schema->columns) : TablePrinter(kind.Gvk());
  return AnswerForm{.table = std::make_shared<const TableText>(std::move(printer), *include, clock)};
}

void AppendObject(const ObjectPtr& object, const AnswerForm& form, std::vector<Buffer>& parts) {
  if (form.table != nullptr) {
    form.table->AppendObject(object, /*with_columns=*/true, parts);
  } else {
    AppendObject(object, form.object, parts);
  }
}

std::vector<Buffer> ListText(const ServedKind& kind, const ListResult& list, const AnswerForm& form) {
  return form.table != nullptr ? form.table->List(list) : ListText(kind, list, form.object);
}

ServeOptions ServeIn(const AnswerForm& form) {
  return {.form = form.object, .writer = form.table == nullptr ? nullptr : TableEvents(form.table)};
}

}  // namespace kinformer::apiserver
