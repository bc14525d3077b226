#include "src/client/http_lister_watcher.h"

#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "src/client/client_access.h"
#include "src/client/request_target.h"
#include "src/codec/frame_splitter.h"
#include "src/codec/list_reader.h"
#include "src/codec/watch_event_reader.h"
#include "src/reflector/failed_stream.h"

namespace kinformer::internal {
namespace {

constexpr std::string_view kMetadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kMetadataOnlyList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// A list that has gone silent is given up after this; a watch may be silent, and has its watchdog.
constexpr std::chrono::seconds kListIdleTimeout{60};
/// Chunks that one call parses before it returns, also when no object has become complete: turns stay short.
constexpr int kChunksPerCall = 16;

class HttpListStream final : public ListStream {
 public:
  HttpListStream(std::unique_ptr<ResponseStream> stream, std::shared_ptr<const Redactor> redactor,
                 ListReaderOptions options, std::string context)
      : stream_(std::move(stream)),
        redactor_(std::move(redactor)),
        reader_(std::move(options)),
        context_(std::move(context)) {}

  Result<std::optional<ListPart>> TryNext() override {
    std::vector<ObjectPtr> items;
    for (int chunks = 0; chunks < kChunksPerCall; ++chunks) {
      Result<std::optional<ResponsePart>> part = stream_->TryNext();
      if (!part) return Annotate(std::move(part).error(), context_);
      if (!*part) break;
      if (auto* chunk = std::get_if<std::string>(&**part)) {
        if (Result<void> read = reader_.Feed(*chunk, items); !read) return BadList(std::move(read).error());
        stream_->Recycle(std::move(*chunk));
        if (!items.empty()) return std::optional<ListPart>(std::move(items));
      } else if (std::holds_alternative<ResponseEnd>(**part)) {
        Result<ListMeta> meta = reader_.Finish();
        if (!meta) return BadList(std::move(meta).error());
        return std::optional<ListPart>(ListEnd{.resource_version = std::move(meta->resource_version),
                                               .continue_token = std::move(meta->continue_token),
                                               .remaining_item_count = meta->remaining_item_count});
      }
    }
    return std::optional<ListPart>();
  }

  void NotifyWhenReady(std::function<void()> ready) override { stream_->NotifyWhenReady(std::move(ready)); }

 private:
  Error BadList(Error error) const { return Annotate(redactor_->Hide(std::move(error)), context_); }

  const std::unique_ptr<ResponseStream> stream_;
  const std::shared_ptr<const Redactor> redactor_;
  ListReader reader_;
  const std::string context_;
};

class HttpWatchStream final : public WatchEventStream {
 public:
  HttpWatchStream(std::unique_ptr<ResponseStream> stream, std::shared_ptr<const Redactor> redactor,
                  ObjectOptions options, std::string context)
      : stream_(std::move(stream)),
        redactor_(std::move(redactor)),
        object_options_(std::move(options)),
        context_(std::move(context)) {}

  Result<std::optional<WatchPart>> TryNext() override {
    for (int chunks = 0; chunks < kChunksPerCall; ++chunks) {
      if (failed_) return Annotate(*failed_, context_);
      if (ended_) return std::optional<WatchPart>(WatchEnd{});
      Result<std::optional<ResponsePart>> part = stream_->TryNext();
      if (!part) return Annotate(std::move(part).error(), context_);
      if (!*part) break;
      std::vector<WatchEvent> events;
      if (std::holds_alternative<ResponseHead>(**part)) return std::optional<WatchPart>(std::move(events));
      if (auto* chunk = std::get_if<std::string>(&**part)) {
        ReadFrames(*chunk, events);
        stream_->Recycle(std::move(*chunk));
      } else {
        ended_ = true;
        ReadRest(events);
      }
      if (!events.empty()) return std::optional<WatchPart>(std::move(events));
    }
    return std::optional<WatchPart>();
  }

  void NotifyWhenReady(std::function<void()> ready) override {
    if (!failed_ && !ended_) return stream_->NotifyWhenReady(std::move(ready));
    if (ready) ready();
  }

 private:
  /// What came before an error is good and is delivered first.
  void ReadFrames(std::string_view chunk, std::vector<WatchEvent>& events) {
    splitter_.Feed(chunk);
    for (;;) {
      Result<std::optional<std::string_view>> frame = splitter_.Next();
      if (!frame) {
        failed_ = std::move(frame).error();
        return;
      }
      if (!*frame) return;
      Result<WatchEvent> event = ReadWatchEvent(**frame, object_options_);
      if (!event) {
        failed_ = redactor_->Hide(std::move(event).error());
        return;
      }
      Take(*std::move(event), events);
    }
  }

  /// The last line may lack its newline, as long as it is whole.
  void ReadRest(std::vector<WatchEvent>& events) {
    const std::optional<std::string_view> rest = splitter_.Rest();
    if (!rest) return;
    Result<WatchEvent> event = ReadWatchEvent(*rest, object_options_);
    if (event) {
      Take(*std::move(event), events);
    } else {
      failed_ = Error{.code = ErrorCode::kDisconnected, .message = "the watch ended in the middle of an event"};
    }
  }

  void Take(WatchEvent event, std::vector<WatchEvent>& events) const {
    if (event.type == WatchEventType::kError) event.error = redactor_->Hide(std::move(event.error));
    events.push_back(std::move(event));
  }

  const std::unique_ptr<ResponseStream> stream_;
  const std::shared_ptr<const Redactor> redactor_;
  const ObjectOptions object_options_;
  const std::string context_;
  FrameSplitter splitter_;
  bool ended_ = false;
  std::optional<Error> failed_;
};

}  // namespace

HttpListerWatcher::HttpListerWatcher(std::shared_ptr<RestClient> client, Resource resource,
                                     HttpListerWatcherOptions options)
    : client_(std::move(client)), resource_(std::move(resource)), options_(std::move(options)) {}

GroupVersionKind HttpListerWatcher::ExpectedKind() const {
  if (options_.metadata_only) return {"meta.k8s.io", "v1", "PartialObjectMetadata"};
  return resource_.Gvk();
}

std::string HttpListerWatcher::ExpectedNamespace() const {
  return resource_.scope == Scope::kNamespaced ? options_.namespace_name : std::string();
}

ObjectOptions HttpListerWatcher::DecodeOptions() const {
  return {.keep_managed_fields = options_.keep_managed_fields,
          .default_gvk = ExpectedKind(),
          .partial = options_.metadata_only};
}

std::unique_ptr<ListStream> HttpListerWatcher::List(const ListRequest& request) {
  ListRequest asked = request;
  if (options_.tweak_list) {
    options_.tweak_list(asked);
    // Beside a limit, a version alone means exactly that state. Who asks for smaller pages does not ask for that: a
    // watch that has expired would be followed by a list that brings its version back, and so on in a circle.
    const bool at_version = !asked.resource_version.empty() && asked.resource_version != "0";
    if (request.limit == 0 && asked.limit > 0 && at_version && asked.resource_version_match.empty()) {
      asked.resource_version_match = "NotOlderThan";
    }
  }
  auto path = ResourcePath(resource_, {.namespace_name = options_.namespace_name});
  if (!path) return std::make_unique<FailedStream<ListPart>>(std::move(path).error());
  RequestTarget target(*path);
  target.Add("labelSelector", options_.label_selector)
      .Add("fieldSelector", options_.field_selector)
      .Add("resourceVersion", asked.resource_version)
      .Add("resourceVersionMatch", asked.resource_version_match)
      .Add("limit", asked.limit > 0 ? std::to_string(asked.limit) : "")
      .Add("continue", asked.continue_token);
  Request http{.target = target.text(), .idle_timeout = kListIdleTimeout};
  if (options_.metadata_only) http.headers.emplace_back("Accept", kMetadataOnlyList);
  return std::make_unique<HttpListStream>(RestClient::Start(client_, std::move(http)), client_->redactor(),
                                          ListReaderOptions{.object = DecodeOptions()},
                                          "listing " + ToString(resource_.gvr));
}

std::unique_ptr<WatchEventStream> HttpListerWatcher::Watch(const WatchRequest& request) {
  WatchRequest asked = request;
  if (options_.tweak_watch) options_.tweak_watch(asked);
  auto path = ResourcePath(resource_, {.namespace_name = options_.namespace_name});
  if (!path) return std::make_unique<FailedStream<WatchPart>>(std::move(path).error());
  RequestTarget target(*path);
  target.Add("watch", "true")
      .Add("labelSelector", options_.label_selector)
      .Add("fieldSelector", options_.field_selector)
      .Add("resourceVersion", asked.resource_version)
      .Add("resourceVersionMatch", asked.resource_version_match)
      .Add("allowWatchBookmarks", asked.allow_bookmarks ? "true" : "")
      .Add("sendInitialEvents", asked.send_initial_events ? (*asked.send_initial_events ? "true" : "false") : "")
      .Add("timeoutSeconds", asked.timeout.count() > 0 ? std::to_string(asked.timeout.count()) : "");
  Request http{.target = target.text(), .resumable = true};
  if (options_.metadata_only) http.headers.emplace_back("Accept", kMetadataOnly);
  return std::make_unique<HttpWatchStream>(RestClient::Start(client_, std::move(http)), client_->redactor(),
                                           DecodeOptions(), "watching " + ToString(resource_.gvr));
}

std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const Client& client, Resource resource,
                                                         HttpListerWatcherOptions options) {
  return std::make_shared<HttpListerWatcher>(ClientAccess::Rest(client), std::move(resource), std::move(options));
}

std::shared_ptr<HttpListerWatcher> MakeHttpListerWatcher(const ResourceClient& client,
                                                         HttpListerWatcherOptions options) {
  options.metadata_only = options.metadata_only || ClientAccess::IsMetadataOnly(client);
  return std::make_shared<HttpListerWatcher>(ClientAccess::Rest(client), client.resource(), std::move(options));
}

}  // namespace kinformer::internal
