#ifndef KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_
#define KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_

// In:     a Reflector's requests
// Out:    streams of objects and events, see list_watch_response.h
// Thread: the Reflector's task; requests run on the transport's I/O thread
// Next:   Reflector

#include <functional>
#include <memory>
#include <string>

#include <kinformer/client/client.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/selection.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/client/list_watch_response.h"
#include "src/client/rest_client.h"

namespace kinformer::internal {

struct HttpListerWatcherOptions {
  /// Requests only metadata: objects are partial and of the kind ExpectedKind() names.
  bool metadata_only = false;
  /// Applied last to each request.
  std::function<void(ListRequest&)> tweak_list{};
  std::function<void(WatchRequest&)> tweak_watch{};
};

/// Lists and watches one resource of an API server, of any kind.
///
/// Requests are sent once; retrying is up to the Reflector. Nothing here blocks: streams have no data until the
/// credentials are available and the server has responded, see RestClient::Start.
class HttpListerWatcher final : public ListerWatcher {
 public:
  HttpListerWatcher(std::shared_ptr<RestClient> client, Resource resource, Selection selection = {},
                    HttpListerWatcherOptions options = {});

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;

  /// The kind its objects carry.
  GroupVersionKind ExpectedKind() const;
  /// The namespace of its objects; empty: any.
  std::string ExpectedNamespace() const;

 private:
  ResponseContext ContextOf(const std::string& action) const;

  const std::shared_ptr<RestClient> client_;
  const Resource resource_;
  const Selection selection_;
  const HttpListerWatcherOptions options_;
};

/// Uses the Client's connection, and shares ownership of it.
std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const Client& client, Resource resource,
                                                         Selection selection = {},
                                                         HttpListerWatcherOptions options = {});
/// Likewise for a ResourceClient's resource. Metadata only if that client is.
std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const ResourceClient& client, Selection selection = {},
                                                         HttpListerWatcherOptions options = {});

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_
