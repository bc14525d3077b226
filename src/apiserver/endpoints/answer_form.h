#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_

// In:     what a client accepts, and objects
// Out:    the objects in the form that was agreed on
// Thread: any; pure
// Next:   ApiHandler

#include <memory>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/endpoints/table_text.h"
#include "src/apiserver/http/http_request.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// How the objects of one answer are written.
struct AnswerForm {
  ObjectForm object = ObjectForm::kWhole;
  /// Set: as rows of a Table, whatever `object` says.
  std::shared_ptr<const TableText> table{};
};

/// 406 if the client accepts nothing that we have; 400 for an includeObject that is none.
Result<AnswerForm> AgreeOnForm(const HttpRequest& request, const RequestInfo& info, const ServedKind& kind,
                               const std::shared_ptr<const Clock>& clock);

void AppendObject(const ObjectPtr& object, const AnswerForm& form, std::vector<Buffer>& parts);
std::vector<Buffer> ListText(const ServedKind& kind, const ListResult& list, const AnswerForm& form);
/// For a watch; no interceptor is set.
ServeOptions ServeIn(const AnswerForm& form);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_ANSWER_FORM_H_
