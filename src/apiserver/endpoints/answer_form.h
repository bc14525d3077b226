#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_

// In:     the Accept header, and objects
// Out:    the objects in the negotiated form
// Thread: any; pure
// Next:   ApiHandler

#include <memory>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/endpoints/table_text.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// How the objects of one response are written.
struct AnswerForm {
  ObjectForm object = ObjectForm::kWhole;
  /// If set, objects are written as Table rows and `object` is ignored.
  std::shared_ptr<const TableText> table{};
};

/// Content negotiation. 406 if no accepted form is supported; 400 for an invalid includeObject.
Result<AnswerForm> AgreeOnForm(const HttpRequest& request, const RequestInfo& info, const ServedKind& kind,
                               const std::shared_ptr<const Clock>& clock);

void AppendObject(const ObjectPtr& object, const AnswerForm& form, std::vector<Buffer>& parts);
std::vector<Buffer> ListText(const ServedKind& kind, const ObjectList& list, const AnswerForm& form);
/// Options for a watch; the interceptor is not set.
ServeOptions ServeIn(const AnswerForm& form);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_
