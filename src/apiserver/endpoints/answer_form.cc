#include "src/apiserver/endpoints/answer_form.h"

#include <string>
#include <utility>

#include "src/apiserver/endpoints/list_text.h"
#include "src/apiserver/endpoints/media_types.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/schema/built_in_schemas.h"

namespace kinformer::apiserver {
namespace {

Result<RowObject> ReadIncludeObject(const UrlQuery& query) {
  const std::string* text = query.Find("includeObject");
  if (text == nullptr || text->empty() || *text == "Metadata") return RowObject::kMetadata;
  if (*text == "None") return RowObject::kNone;
  if (*text == "Object") return RowObject::kWhole;
  return BadRequestError("Unable to convert to Table as requested: includeObject: Invalid value: \"" + *text +
                         "\": must be 'Metadata', 'Object', 'None', or empty");
}

/// The requested metadata form, single or list, must match the response.
Result<void> CheckMetadataForm(AcceptedForm form, const RequestInfo& info, const ServedKind& kind) {
  if (info.verb == "watch") return {};
  const bool list = info.verb == "list" || info.verb == "deletecollection";
  if (list == (form == AcceptedForm::kMetadataList)) return {};
  // A real server names the Go type.
  std::string type = "*unstructured.Unstructured";
  if (kind.schema == nullptr) {
    const std::string& group = kind.resource.group;
    type = "*" + (group.empty() ? "core" : group.substr(0, group.find('.'))) + "." + kind.kind;
  }
  if (list) type += "List";
  return Error{.code = ErrorCode::kServer,
               .message = std::string("you requested ") +
                          (list ? "PartialObjectMetadata, but the requested object is a list ("
                                : "PartialObjectMetadataList, but the requested object is not a list (") +
                          type + ")",
               .http_status = 406,
               .reason = "NotAcceptable"};
}

}  // namespace

Result<AnswerForm> AgreeOnForm(const HttpRequest& request, const RequestInfo& info, const ServedKind& kind,
                               const std::shared_ptr<const Clock>& clock) {
  const Result<AcceptedForm> accepted = NegotiateForm(request);
  if (!accepted) return accepted.error();
  if (*accepted == AcceptedForm::kWhole) return AnswerForm{};
  if (*accepted != AcceptedForm::kTable) {
    if (Result<void> fits = CheckMetadataForm(*accepted, info, kind); !fits) return std::move(fits).error();
    return AnswerForm{.object = ObjectForm::kMetadata};
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

std::vector<Buffer> ListText(const ServedKind& kind, const ObjectList& list, const AnswerForm& form) {
  return form.table != nullptr ? form.table->List(list) : ListText(kind, list, form.object);
}

ServeOptions ServeIn(const AnswerForm& form) {
  return {.form = form.object, .writer = form.table == nullptr ? nullptr : TableEvents(form.table)};
}

}  // namespace kinformer::apiserver
