#include <kinformer/client/resource_client.h>

#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include <kinformer/base/try.h>
#include <kinformer/meta/status_error.h>

#include "src/base/await_ready.h"
#include "src/client/list_watch_request.h"
#include "src/client/list_watch_response.h"
#include "src/client/request_target.h"
#include "src/client/rest_client.h"
#include "src/client/watch_stream_impl.h"
#include "src/meta/error_text.h"

namespace kinformer {
namespace {

using internal::RequestTarget;
using nlohmann::json;

/// More consecutive empty pages are treated as an endless list.
constexpr int kMaxEmptyPages = 1000;

std::string_view QueryValue(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::kServerDefault:
      return "";
    case FieldValidation::kIgnore:
      return "Ignore";
    case FieldValidation::kWarn:
      return "Warn";
    case FieldValidation::kStrict:
      return "Strict";
  }
  return "";
}

std::string_view QueryValue(Propagation propagation) {
  switch (propagation) {
    case Propagation::kServerDefault:
      return "";
    case Propagation::kOrphan:
      return "Orphan";
    case Propagation::kBackground:
      return "Background";
    case Propagation::kForeground:
      return "Foreground";
  }
  return "";
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
  }
  return "application/json";
}

std::string DeleteBody(const DeleteOptions& options) {
  json body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) body["preconditions"]["resourceVersion"] = options.resource_version;
  if (options.propagation != Propagation::kServerDefault) {
    body["propagationPolicy"] = std::string(QueryValue(options.propagation));
  }
  if (options.grace_period) body["gracePeriodSeconds"] = options.grace_period->count();
  if (options.dry_run) body["dryRun"] = json::array({"All"});
  return body.dump();
}

/// Waits for the next part. kCancelled when stopped.
Result<ListPart> AwaitPart(ListStream& stream, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while listing"};
    Result<std::optional<ListPart>> part = stream.TryNext();
    if (!part) return std::move(part).error();
    if (*part) return std::move(**part);
    internal::AwaitReady(stream, stop);
  }
}

/// For WriteOptions and ApplyOptions.
template <typename Options>
RequestTarget WriteTarget(const std::string& path, const Options& options) {
  RequestTarget target(path);
  target.Add("dryRun", options.dry_run ? "All" : "")
      .Add("fieldManager", options.field_manager)
      .Add("fieldValidation", QueryValue(options.field_validation));
  return target;
}

Error NoFieldManager() {
  return Error{.code = ErrorCode::kInvalidArgument,
               .message = "server-side apply needs ApplyOptions::field_manager, the name that is to own the fields"};
}

}  // namespace

ResourceClient::ResourceClient(std::shared_ptr<internal::RestClient> rest, Resource resource,
                               std::string default_namespace)
    : rest_(std::move(rest)), resource_(std::move(resource)), default_namespace_(std::move(default_namespace)) {}

ResourceClient ResourceClient::MetadataOnly() const {
  ResourceClient copy = *this;
  copy.metadata_only_ = true;
  return copy;
}

ObjectOptions ResourceClient::DecodeOptions(bool keep_managed_fields, bool of_subresource) const {
  ObjectOptions options{.keep_managed_fields = keep_managed_fields, .partial = metadata_only_};
  // A subresource may be of another kind (a Scale, an Eviction), which only the response tells.
  if (!of_subresource && !metadata_only_) options.default_gvk = resource_.Gvk();
  return options;
}

std::string ResourceClient::NamespaceOf(const Object& object, const std::string& otherwise) const {
  if (resource_.scope == Scope::kCluster) return {};
  if (!object.Namespace().empty()) return std::string(object.Namespace());
  return otherwise.empty() ? default_namespace_ : otherwise;
}

Result<void> ResourceClient::CheckKind(const Object& object, const std::string& subresource) const {
  if (resource_.kind.empty() || !subresource.empty()) return {};
  if (object.Gvk() == resource_.Gvk()) return {};
  return Error{.code = ErrorCode::kInvalidArgument,
               .message = "the object " + internal::KindText(object.ApiVersion(), object.Kind()) + ", but " +
                          resource_.gvr.resource + " are " + resource_.gvr.ApiVersion() + " " + resource_.kind};
}

Result<ObjectPtr> ResourceClient::Read(const ObjectArg& object, const std::string& subresource) const {
  // Other subresources are of other kinds: a Scale, an Eviction.
  const bool of_this_kind = subresource.empty() || subresource == "status";
  Result<ObjectPtr> read = object.Read(of_this_kind ? resource_.Gvk() : GroupVersionKind());
  if (!read) return Annotate(std::move(read).error(), ToString(resource_.gvr));
  return read;
}

Result<ObjectPtr> ResourceClient::Get(const NamespacedName& name, const GetOptions& options,
                                      const std::stop_token& stop) const {
  if (name.name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {name.namespace_name, name.name, options.subresource});
  if (!path) return std::move(path).error();
  Request request{.target = RequestTarget(*path).Add("resourceVersion", options.resource_version).text(),
                  .timeout = options.timeout};
  if (metadata_only_) request.headers.emplace_back("Accept", internal::kMetadataOnly);
  auto response = rest_->Call(std::move(request), stop);
  if (!response) return std::move(response).error();
  return Decode(response->body, DecodeOptions(options.keep_managed_fields, !options.subresource.empty()));
}

Result<ObjectPtr> ResourceClient::Decode(std::string_view body, const ObjectOptions& options) const {
  Result<ObjectPtr> object = Object::Parse(body, options);
  if (!object) return rest_->redactor()->Hide(std::move(object).error());
  return object;
}

Result<ListMeta> ResourceClient::ReadPage(const std::function<void(ObjectPtr)>& each, const Selection& selection,
                                          const ListOptions& options, const std::stop_token& stop) const {
  auto request = internal::MakeListRequest(resource_, selection,
                                           {.resource_version = options.resource_version,
                                            .resource_version_match = options.resource_version_match,
                                            .limit = options.limit,
                                            .continue_token = options.continue_token},
                                           metadata_only_);
  if (!request) return std::move(request).error();
  request->timeout = options.timeout;
  auto open = rest_->Open(*std::move(request), stop);
  if (!open) return std::move(open).error();

  internal::HttpListStream stream(std::move(open->stream),
                                  {.object = DecodeOptions(selection.keep_managed_fields, false),
                                   .action = "listing " + ToString(resource_.gvr),
                                   .redactor = rest_->redactor()});
  for (;;) {
    Result<ListPart> part = AwaitPart(stream, stop);
    if (!part) return std::move(part).error();
    if (auto* metadata = std::get_if<ListMeta>(&*part)) return std::move(*metadata);
    for (ObjectPtr& item : std::get<std::vector<ObjectPtr>>(*part)) each(std::move(item));
  }
}

Result<ObjectList> ResourceClient::ListPage(const Selection& selection, const ListOptions& options,
                                            const std::stop_token& stop) const {
  ObjectList page;
  const auto keep = [&](ObjectPtr object) { page.items.push_back(std::move(object)); };
  KI_TRY_ASSIGN(page.metadata, ReadPage(keep, selection, options, stop));
  if (options.progress) {
    options.progress({.received = page.items.size(), .remaining = page.metadata.remaining_item_count});
  }
  return page;
}

Result<ListMeta> ResourceClient::ForEach(const std::function<void(const ObjectPtr&)>& each, const Selection& selection,
                                         const ListOptions& options, const std::stop_token& stop) const {
  ListOptions page_options = options;
  std::size_t received = 0;
  std::size_t received_before = 0;
  int empty_pages = 0;
  for (;;) {
    auto page = ReadPage(
        [&](const ObjectPtr& object) {
          ++received;
          each(object);
        },
        selection, page_options, stop);
    if (!page) return page;
    if (options.progress) options.progress({.received = received, .remaining = page->remaining_item_count});
    if (page->continue_token.empty()) return page;
    empty_pages = received == received_before ? empty_pages + 1 : 0;
    received_before = received;
    if (page->continue_token == page_options.continue_token || empty_pages >= kMaxEmptyPages) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "listing " + resource_.gvr.resource + ": server returned an endless continue chain"};
    }
    // The continue token carries the first page's version; the API rejects a request with both.
    page_options.resource_version.clear();
    page_options.resource_version_match.clear();
    page_options.continue_token = page->continue_token;
  }
}

Result<ObjectList> ResourceClient::List(const Selection& selection, const ListOptions& options,
                                        const std::stop_token& stop) const {
  ObjectList list;
  std::size_t pages = 0;
  const auto keep = [&](const ObjectPtr& object) { list.items.push_back(object); };
  ListOptions counted = options;
  counted.progress = [&](const ListProgress& progress) {
    ++pages;
    if (options.progress) options.progress(progress);
  };
  auto metadata = ForEach(keep, selection, counted, stop);
  if (!metadata && IsResourceExpired(metadata.error()) && pages > 0) {
    list.items.clear();
    ListOptions whole = options;
    whole.limit = 0;
    whole.continue_token.clear();
    metadata = ForEach(keep, selection, whole, stop);
  }
  if (!metadata) return std::move(metadata).error();
  list.metadata = *std::move(metadata);
  return list;
}

Result<ObjectPtr> ResourceClient::Write(Request request, const ObjectOptions& decode,
                                        const std::stop_token& stop) const {
  if (metadata_only_) request.headers.emplace_back("Accept", internal::kMetadataOnly);
  auto response = rest_->Call(std::move(request), stop);
  if (!response) return std::move(response).error();
  return Decode(response->body, decode);
}

Result<ObjectPtr> ResourceClient::Create(const ObjectArg& given, const WriteOptions& options,
                                         const std::stop_token& stop) const {
  KI_TRY_ASSIGN(const ObjectPtr read, Read(given, options.subresource));
  const Object& object = *read;
  if (auto checked = CheckKind(object, options.subresource); !checked) return std::move(checked).error();
  const std::string namespace_name = NamespaceOf(object, options.namespace_name);
  auto path = options.subresource.empty()
                  ? internal::ResourcePath(resource_, {.namespace_name = namespace_name})
                  : internal::ResourcePath(resource_, {namespace_name, object.Name(), options.subresource});
  if (!path) return std::move(path).error();
  const RequestTarget target = WriteTarget(*path, options);
  return Write({.method = "POST",
                .target = target.text(),
                .headers = {{"Content-Type", "application/json"}},
                .body = std::string(object.Json()),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::Put(const ObjectArg& given, const WriteOptions& options,
                                      const std::stop_token& stop) const {
  KI_TRY_ASSIGN(const ObjectPtr read, Read(given, options.subresource));
  const Object& object = *read;
  if (object.IsPartial()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = resource_.gvr.resource + " \"" + std::string(object.Name()) +
                            "\" is partial: fields were left out when it was read, and an update would delete them on "
                            "the server; use Patch or Apply"};
  }
  if (auto checked = CheckKind(object, options.subresource); !checked) return std::move(checked).error();
  if (object.Name().empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "the object to update has no name"};
  }
  auto path = internal::ResourcePath(resource_,
                                     {NamespaceOf(object, options.namespace_name), object.Name(), options.subresource});
  if (!path) return std::move(path).error();
  const RequestTarget target = WriteTarget(*path, options);
  return Write({.method = "PUT",
                .target = target.text(),
                .headers = {{"Content-Type", "application/json"}},
                .body = std::string(object.Json()),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::Update(const ObjectArg& object, const WriteOptions& options,
                                         const std::stop_token& stop) const {
  return Put(object, options, stop);
}

Result<ObjectPtr> ResourceClient::UpdateStatus(const ObjectArg& object, const WriteOptions& options,
                                               const std::stop_token& stop) const {
  WriteOptions status = options;
  status.subresource = "status";
  return Put(object, status, stop);
}

Result<ObjectPtr> ResourceClient::Patch(const NamespacedName& name, PatchType type, std::string_view patch,
                                        const WriteOptions& options, const std::stop_token& stop) const {
  if (name.name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {name.namespace_name, name.name, options.subresource});
  if (!path) return std::move(path).error();
  const RequestTarget target = WriteTarget(*path, options);
  return Write({.method = "PATCH",
                .target = target.text(),
                .headers = {{"Content-Type", std::string(ContentType(type))}},
                .body = std::string(patch),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::Apply(const ObjectArg& given, const ApplyOptions& options,
                                        const std::stop_token& stop) const {
  if (options.field_manager.empty()) return NoFieldManager();
  KI_TRY_ASSIGN(const ObjectPtr read, Read(given, options.subresource));
  const Object& object = *read;
  if (auto checked = CheckKind(object, options.subresource); !checked) return std::move(checked).error();
  if (object.Name().empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "the object to apply has no name"};
  }
  auto path = internal::ResourcePath(resource_,
                                     {NamespaceOf(object, options.namespace_name), object.Name(), options.subresource});
  if (!path) return std::move(path).error();
  RequestTarget target = WriteTarget(*path, options);
  target.Add("force", options.force ? "true" : "");
  // JSON is valid YAML, and every server supports this content type.
  return Write({.method = "PATCH",
                .target = target.text(),
                .headers = {{"Content-Type", "application/apply-patch+yaml"}},
                .body = std::string(object.Json()),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::ScaleTo(const NamespacedName& name, std::int64_t replicas,
                                          const WriteOptions& options, const std::stop_token& stop) const {
  WriteOptions scale = options;
  scale.subresource = "scale";
  return Patch(name, PatchType::kMerge, json{{"spec", {{"replicas", replicas}}}}.dump(), scale, stop);
}

Result<DeleteResult> ResourceClient::Delete(const NamespacedName& name, const DeleteOptions& options,
                                            const std::stop_token& stop) const {
  // An empty name would delete the collection.
  if (name.name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {name.namespace_name, name.name});
  if (!path) return std::move(path).error();
  auto response = rest_->Call({.method = "DELETE",
                               .target = *path,
                               .headers = {{"Content-Type", "application/json"}},
                               .body = DeleteBody(options),
                               .timeout = options.timeout},
                              stop);
  if (!response) return std::move(response).error();
  // A Status means that the object is gone; the object itself means that deletion is still pending.
  auto object = Decode(response->body, DecodeOptions(false, true));
  if (!object) return std::move(object).error();
  if ((*object)->Kind() == "Status" && (*object)->ApiVersion() == "v1") return DeleteResult{};
  return DeleteResult{.pending = (*object)->DeletionTimestamp() ? *object : nullptr};
}

Result<void> ResourceClient::DeleteCollection(const Selection& selection, const DeleteOptions& options,
                                              const std::stop_token& stop) const {
  auto target = internal::CollectionTarget(resource_, selection);
  if (!target) return std::move(target).error();
  auto response = rest_->Call({.method = "DELETE",
                               .target = target->text(),
                               .headers = {{"Content-Type", "application/json"}},
                               .body = DeleteBody(options),
                               .timeout = options.timeout},
                              stop);
  if (!response) return std::move(response).error();
  return {};
}

Result<WatchStream> ResourceClient::Watch(const Selection& selection, const WatchOptions& options,
                                          const std::stop_token& stop) const {
  auto request = internal::MakeWatchRequest(resource_, selection,
                                            {.resource_version = options.resource_version,
                                             .resource_version_match = options.resource_version_match,
                                             .send_initial_events = options.send_initial_events,
                                             .allow_bookmarks = options.allow_bookmarks,
                                             .timeout = options.timeout},
                                            metadata_only_);
  if (!request) return std::move(request).error();
  request->idle_timeout = options.idle_timeout;
  auto open = rest_->Open(*std::move(request), stop);
  if (!open) return std::move(open).error();
  auto events = std::make_unique<internal::HttpWatchStream>(
      std::move(open->stream), internal::ResponseContext{.object = DecodeOptions(selection.keep_managed_fields, false),
                                                         .action = "watching " + ToString(resource_.gvr),
                                                         .redactor = rest_->redactor()});
  return WatchStream(
      std::make_unique<WatchStream::Impl>(WatchStream::Impl{.keep_alive = rest_, .events = std::move(events)}));
}

}  // namespace kinformer
