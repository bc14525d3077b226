#include "src/apiserver/endpoints/reply.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "src/apiserver/endpoints/warning_headers.h"
#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/listwatch/watch/status_text.h"

namespace kinformer::apiserver {
namespace {

Error ServerError(int http_status, std::string_view reason, std::string message) {
  return {.code = ErrorCode::kServer,
          .message = std::move(message),
          .http_status = http_status,
          .reason = std::string(reason)};
}

}  // namespace

const HttpHeader kJsonHeader{"Content-Type", "application/json"};

Reply ErrorReply(Error error) {
  Reply reply{.status = HttpStatusOf(error), .headers = {kJsonHeader}};
  if (error.retry_after) reply.headers.push_back({"Retry-After", std::to_string(error.retry_after->count())});
  const std::optional<std::string> token = TakeContinue(error);
  reply.body.emplace_back(StatusText(error, token.value_or("")) + "\n");
  return reply;
}

Reply TextReply(int status, std::string text) {
  Reply reply{.status = status, .headers = {{"Content-Type", "text/plain; charset=utf-8"}}};
  reply.body.emplace_back(std::move(text));
  return reply;
}

Reply JsonReply(std::string text) {
  Reply reply{.status = 200, .headers = {kJsonHeader}};
  reply.body.emplace_back(std::move(text));
  return reply;
}

Reply DoneReply() {
  Reply reply = JsonReply(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
                          "\n");
  reply.status = 201;
  return reply;
}

Reply ObjectReply(int status, const ObjectPtr& object, const AnswerForm& form) {
  Reply reply{.status = status, .headers = {kJsonHeader}};
  AppendObject(object, form, reply.body);
  reply.body.push_back(Buffer::Static("\n"));
  return reply;
}

Reply WithWarnings(Reply reply, const std::vector<std::string>& warnings) {
  for (std::string& value : WarningHeaders(warnings)) reply.headers.push_back({"Warning", std::move(value)});
  return reply;
}

void WarnOfDeprecation(const ServedKind& kind, std::vector<HttpHeader>& headers) {
  if (kind.deprecation.empty()) return;
  for (std::string& value : WarningHeaders({kind.deprecation})) {
    headers.insert(headers.begin() + 1, {"Warning", std::move(value)});
  }
}

void MakePretty(Reply& reply) {
  if (reply.headers.front() != kJsonHeader) return;
  std::string text;
  for (const Buffer& part : reply.body) text += part.bytes;
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return;
  reply.body.clear();
  reply.body.emplace_back(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Error NoSuchResource() { return ServerError(404, "NotFound", "the server could not find the requested resource"); }

Error MethodNotAllowed() {
  return ServerError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

Error TooManyRequests() {
  Error error = ServerError(429, "TooManyRequests", "Too many requests, please try again later.");
  error.retry_after = std::chrono::seconds(1);
  return error;
}

Error TimedOut() {
  return ServerError(504, "Timeout",
                     "Timeout: request did not complete within requested timeout - context deadline exceeded");
}

Reply PageNotFound() { return TextReply(404, "404 page not found\n"); }

}  // namespace kinformer::apiserver
