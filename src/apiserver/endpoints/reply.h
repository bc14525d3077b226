#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REPLY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REPLY_H_

// In:     the outcome of a request: an object, an error, a text
// Out:    the response: status, headers, body
// Thread: any; pure
// Next:   ApiHandler

#include <string>
#include <vector>

#include <kinformer/base/error.h>

#include "src/apiserver/endpoints/answer_form.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/http/http_exchange.h"

namespace kinformer::apiserver {

/// A complete response. The first header is Content-Type.
struct Reply {
  int status = 200;
  std::vector<HttpHeader> headers{};
  std::vector<Buffer> body{};
};

/// Content-Type: application/json.
extern const HttpHeader kJsonHeader;

/// A Status.
Reply ErrorReply(Error error);
Reply TextReply(int status, std::string text);
Reply JsonReply(std::string text);
/// 201 with a Status, for creates that return no object.
Reply DoneReply();
Reply ObjectReply(int status, const ObjectPtr& object, const AnswerForm& form);
/// Adds a Warning header per text.
Reply WithWarnings(Reply reply, const std::vector<std::string>& warnings);
/// Inserted after the first header, Content-Type, and before all other warnings.
void WarnOfDeprecation(const ServedKind& kind, std::vector<HttpHeader>& headers);
/// Indents a JSON body for people (?pretty=true). Other replies are left alone.
void MakePretty(Reply& reply);

// The errors that do not depend on the resource.
Error NoSuchResource();
Error MethodNotAllowed();
Error TooManyRequests();
Error TimedOut();
/// 404, in plain text, for a path that is not part of the API.
Reply PageNotFound();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REPLY_H_
