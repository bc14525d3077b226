#ifndef KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_
#define KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_

// In:     what a Reflector asks for, and bytes of the API server's answers
// Out:    objects and events, parsed as they arrive
// Thread: the Reflector's task; requests run on the transport's I/O thread
// Next:   Reflector

#include <functional>
#include <memory>
#include <string>

#include <kinformer/client/client.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/client/rest_client.h"

namespace kinformer::internal {

struct HttpListerWatcherOptions {
  /// Empty: all namespaces.
  std::string namespace_name{};
  std::string label_selector{};
  std::string field_selector{};
  /// Objects are then of the kind that ExpectedKind names, and partial.
  bool metadata_only = false;
  bool keep_managed_fields = false;
  /// The last word on each request.
  std::function<void(ListRequest&)> tweak_list{};
  std::function<void(WatchRequest&)> tweak_watch{};
};

/// One resource of an API server, of any kind.
///
/// Requests are sent once: trying again is the Reflector's business. They never wait for the network, but may for new
/// credentials, see RestClient::Start.
class HttpListerWatcher final : public ListerWatcher {
 public:
  HttpListerWatcher(std::shared_ptr<RestClient> client, Resource resource, HttpListerWatcherOptions options = {});

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;

  /// What its objects say they are.
  GroupVersionKind ExpectedKind() const;
  /// Where they are; empty: anywhere.
  std::string ExpectedNamespace() const;

 private:
  ObjectOptions DecodeOptions() const;

  const std::shared_ptr<RestClient> client_;
  const Resource resource_;
  const HttpListerWatcherOptions options_;
};

/// Over a Client's connection. Keeps what it needs of it.
std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const Client& client, Resource resource,
                                                         HttpListerWatcherOptions options = {});
/// The same, of a ResourceClient's resource; metadata only, if that is what it asks for.
std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const ResourceClient& client,
                                                         HttpListerWatcherOptions options = {});

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_HTTP_LISTER_WATCHER_H_
