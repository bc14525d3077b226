#include "src/client/http_lister_watcher.h"

#include <chrono>
#include <string>
#include <utility>

#include "src/base/user_code.h"
#include "src/client/client_access.h"
#include "src/client/list_watch_request.h"
#include "src/reflector/failed_stream.h"

namespace kinformer::internal {
namespace {

/// Idle timeout of a list. A watch has none: it may be silent, and the Reflector's watchdog covers it.
constexpr std::chrono::seconds kListIdleTimeout{60};

Error TweakThrew(const std::string& request, const std::string& what) {
  return {.code = ErrorCode::kInternal, .message = "the tweak of the " + request + " request threw: " + what};
}

}  // namespace

HttpListerWatcher::HttpListerWatcher(std::shared_ptr<RestClient> client, Resource resource, Selection selection,
                                     HttpListerWatcherOptions options)
    : client_(std::move(client)),
      resource_(std::move(resource)),
      selection_(std::move(selection)),
      options_(std::move(options)) {}

GroupVersionKind HttpListerWatcher::ExpectedKind() const {
  if (options_.metadata_only) return {"meta.k8s.io", "v1", "PartialObjectMetadata"};
  return resource_.Gvk();
}

std::string HttpListerWatcher::ExpectedNamespace() const {
  return resource_.scope == Scope::kNamespaced ? selection_.namespace_name : std::string();
}

ResponseContext HttpListerWatcher::ContextOf(const std::string& action) const {
  return {.object = {.keep_managed_fields = selection_.keep_managed_fields,
                     .default_gvk = ExpectedKind(),
                     .partial = options_.metadata_only},
          .action = action + " " + ToString(resource_.gvr),
          .redactor = client_->redactor()};
}

std::unique_ptr<ListStream> HttpListerWatcher::List(const ListRequest& request) {
  ListRequest asked = request;
  if (options_.tweak_list) {
    if (const auto threw = Contain([&] { options_.tweak_list(asked); })) {
      return std::make_unique<FailedStream<ListPart>>(TweakThrew("list", *threw));
    }
    // With a limit, a version without a match rule means exactly that version. A tweak that only sets a page size does
    // not intend that: an expired watch and a list returning the same expired version would alternate forever.
    const bool at_version = !asked.resource_version.empty() && asked.resource_version != "0";
    if (request.limit == 0 && asked.limit > 0 && at_version && asked.resource_version_match.empty()) {
      asked.resource_version_match = "NotOlderThan";
    }
  }
  Result<Request> http = MakeListRequest(resource_, selection_, asked, options_.metadata_only);
  if (!http) return std::make_unique<FailedStream<ListPart>>(std::move(http).error());
  http->idle_timeout = kListIdleTimeout;
  return std::make_unique<HttpListStream>(RestClient::Start(client_, *std::move(http)), ContextOf("listing"));
}

std::unique_ptr<WatchEventStream> HttpListerWatcher::Watch(const WatchRequest& request) {
  WatchRequest asked = request;
  if (options_.tweak_watch) {
    if (const auto threw = Contain([&] { options_.tweak_watch(asked); })) {
      return std::make_unique<FailedStream<WatchPart>>(TweakThrew("watch", *threw));
    }
  }
  Result<Request> http = MakeWatchRequest(resource_, selection_, asked, options_.metadata_only);
  if (!http) return std::make_unique<FailedStream<WatchPart>>(std::move(http).error());
  return std::make_unique<HttpWatchStream>(RestClient::Start(client_, *std::move(http)), ContextOf("watching"));
}

std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const Client& client, Resource resource, Selection selection,
                                                         HttpListerWatcherOptions options) {
  return std::make_shared<HttpListerWatcher>(ClientAccess::Rest(client), std::move(resource), std::move(selection),
                                             std::move(options));
}

std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const ResourceClient& client, Selection selection,
                                                         HttpListerWatcherOptions options) {
  options.metadata_only = options.metadata_only || ClientAccess::IsMetadataOnly(client);
  return std::make_shared<HttpListerWatcher>(ClientAccess::Rest(client), client.resource(), std::move(selection),
                                             std::move(options));
}

}  // namespace kinformer::internal
