#include <kinformer/client/resource_client.h>

#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "src/client/request_target.h"
#include "src/client/rest_client.h"
#include "src/client/watch_stream_impl.h"
#include "src/codec/list_reader.h"

namespace kinformer {
namespace {

using internal::RequestTarget;
using nlohmann::json;

constexpr std::string_view kMetadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kMetadataOnlyList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// A server fills its pages; so many in a row with nothing in them are no list that ever ends.
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

void AddSelectors(RequestTarget& target, const std::string& labels, const std::string& fields) {
  target.Add("labelSelector", labels).Add("fieldSelector", fields);
}

/// Of WriteOptions and ApplyOptions alike.
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
  // A subresource may be of another kind (a Scale, an Eviction), which only the answer knows.
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
  const GroupVersionKind gvk = object.Gvk();
  if (gvk == resource_.Gvk()) return {};
  return Error{.code = ErrorCode::kInvalidArgument,
               .message = "the object is a " + gvk.ApiVersion() + " " + gvk.kind + ", but " + resource_.gvr.resource +
                          " are " + resource_.gvr.ApiVersion() + " " + resource_.kind};
}

Result<ObjectPtr> ResourceClient::Get(std::string_view namespace_name, std::string_view name, const GetOptions& options,
                                      const std::stop_token& stop) const {
  if (name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {namespace_name, name, options.subresource});
  if (!path) return std::move(path).error();
  Request request{.target = RequestTarget(*path).Add("resourceVersion", options.resource_version).text(),
                  .timeout = options.timeout};
  if (metadata_only_) request.headers.emplace_back("Accept", kMetadataOnly);
  auto response = rest_->Call(std::move(request), stop);
  if (!response) return std::move(response).error();
  return Decode(response->body, DecodeOptions(options.keep_managed_fields, !options.subresource.empty()));
}

Result<ObjectPtr> ResourceClient::Decode(std::string_view body, const ObjectOptions& options) const {
  Result<ObjectPtr> object = Object::Parse(body, options);
  if (!object) return rest_->redactor()->Hide(std::move(object).error());
  return object;
}

Error ResourceClient::BadList(Error error) const {
  return Annotate(rest_->redactor()->Hide(std::move(error)), "listing " + resource_.gvr.resource);
}

Result<ObjectList> ResourceClient::ReadPage(const ListOptions& options, const std::function<void(ObjectPtr)>& each,
                                            const std::stop_token& stop) const {
  auto path = internal::ResourcePath(resource_, {.namespace_name = options.namespace_name});
  if (!path) return std::move(path).error();
  RequestTarget target(*path);
  AddSelectors(target, options.label_selector, options.field_selector);
  target.Add("resourceVersion", options.resource_version)
      .Add("resourceVersionMatch", options.resource_version_match)
      .Add("limit", options.limit > 0 ? std::to_string(options.limit) : "")
      .Add("continue", options.continue_token);
  Request request{.target = target.text(), .timeout = options.timeout};
  if (metadata_only_) request.headers.emplace_back("Accept", kMetadataOnlyList);
  auto open = rest_->Open(std::move(request), stop);
  if (!open) return std::move(open).error();

  internal::ListReader reader({.object = DecodeOptions(options.keep_managed_fields, false)});
  std::vector<ObjectPtr> items;
  for (;;) {
    Result<ResponsePart> part = Next(*open->stream, stop);
    if (!part) return std::move(part).error();
    if (std::holds_alternative<ResponseEnd>(*part)) break;
    const auto* chunk = std::get_if<std::string>(&*part);
    if (chunk == nullptr) continue;
    Result<void> read = reader.Feed(*chunk, items);
    for (ObjectPtr& item : items) each(std::move(item));
    items.clear();
    if (!read) return BadList(std::move(read).error());
  }
  Result<internal::ListMeta> meta = reader.Finish();
  if (!meta) return BadList(std::move(meta).error());
  return ObjectList{.items = {},
                    .resource_version = std::move(meta->resource_version),
                    .continue_token = std::move(meta->continue_token),
                    .remaining_item_count = meta->remaining_item_count};
}

Result<ObjectList> ResourceClient::ListPage(const ListOptions& options, const std::stop_token& stop) const {
  std::vector<ObjectPtr> items;
  auto page = ReadPage(
      options, [&](ObjectPtr object) { items.push_back(std::move(object)); }, stop);
  if (!page) return page;
  if (options.progress) options.progress({.received = items.size(), .remaining = page->remaining_item_count});
  page->items = std::move(items);
  return page;
}

Result<ObjectList> ResourceClient::ForEach(const std::function<void(const ObjectPtr&)>& each,
                                           const ListOptions& options, const std::stop_token& stop) const {
  ListOptions page_options = options;
  std::size_t received = 0;
  std::size_t received_before = 0;
  int empty_pages = 0;
  for (;;) {
    auto page = ReadPage(
        page_options,
        [&](const ObjectPtr& object) {
          ++received;
          each(object);
        },
        stop);
    if (!page) return page;
    if (options.progress) options.progress({.received = received, .remaining = page->remaining_item_count});
    if (page->continue_token.empty()) return page;
    empty_pages = received == received_before ? empty_pages + 1 : 0;
    received_before = received;
    if (page->continue_token == page_options.continue_token || empty_pages >= kMaxEmptyPages) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "listing " + resource_.gvr.resource + ": the pages of the list lead nowhere"};
    }
    // The token carries the version of the first page; naming one beside it is an error.
    page_options.resource_version.clear();
    page_options.resource_version_match.clear();
    page_options.continue_token = page->continue_token;
  }
}

Result<ObjectList> ResourceClient::List(const ListOptions& options, const std::stop_token& stop) const {
  std::vector<ObjectPtr> items;
  std::size_t pages = 0;
  const auto keep = [&](const ObjectPtr& object) { items.push_back(object); };
  ListOptions counted = options;
  counted.progress = [&](const ListProgress& progress) {
    ++pages;
    if (options.progress) options.progress(progress);
  };
  auto list = ForEach(keep, counted, stop);
  if (!list && IsResourceExpired(list.error()) && pages > 0) {
    items.clear();
    ListOptions whole = options;
    whole.limit = 0;
    whole.continue_token.clear();
    list = ForEach(keep, whole, stop);
  }
  if (!list) return list;
  list->items = std::move(items);
  return list;
}

Result<ObjectPtr> ResourceClient::Write(Request request, const ObjectOptions& decode,
                                        const std::stop_token& stop) const {
  auto response = rest_->Call(std::move(request), stop);
  if (!response) return std::move(response).error();
  return Decode(response->body, decode);
}

Result<ObjectPtr> ResourceClient::Create(const Object& object, const WriteOptions& options,
                                         const std::stop_token& stop) const {
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

Result<ObjectPtr> ResourceClient::Put(const Object& object, const WriteOptions& options,
                                      const std::stop_token& stop) const {
  if (auto checked = CheckKind(object, options.subresource); !checked) return std::move(checked).error();
  if (object.IsPartial()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = resource_.gvr.resource + " \"" + std::string(object.Name()) +
                            "\" is partial: fields were left out when it was read, and an update would delete them on "
                            "the server; use Patch or Apply"};
  }
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

Result<ObjectPtr> ResourceClient::Update(const Object& object, const WriteOptions& options,
                                         const std::stop_token& stop) const {
  return Put(object, options, stop);
}

Result<ObjectPtr> ResourceClient::UpdateStatus(const Object& object, const WriteOptions& options,
                                               const std::stop_token& stop) const {
  WriteOptions status = options;
  status.subresource = "status";
  return Put(object, status, stop);
}

Result<ObjectPtr> ResourceClient::Patch(std::string_view namespace_name, std::string_view name, PatchType type,
                                        std::string_view patch, const WriteOptions& options,
                                        const std::stop_token& stop) const {
  if (name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {namespace_name, name, options.subresource});
  if (!path) return std::move(path).error();
  const RequestTarget target = WriteTarget(*path, options);
  return Write({.method = "PATCH",
                .target = target.text(),
                .headers = {{"Content-Type", std::string(ContentType(type))}},
                .body = std::string(patch),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::Apply(const Object& object, const ApplyOptions& options,
                                        const std::stop_token& stop) const {
  if (options.field_manager.empty()) return NoFieldManager();
  if (auto checked = CheckKind(object, options.subresource); !checked) return std::move(checked).error();
  if (object.Name().empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "the object to apply has no name"};
  }
  auto path = internal::ResourcePath(resource_,
                                     {NamespaceOf(object, options.namespace_name), object.Name(), options.subresource});
  if (!path) return std::move(path).error();
  RequestTarget target = WriteTarget(*path, options);
  target.Add("force", options.force ? "true" : "");
  // JSON is YAML; this is the content type that every server knows.
  return Write({.method = "PATCH",
                .target = target.text(),
                .headers = {{"Content-Type", "application/apply-patch+yaml"}},
                .body = std::string(object.Json()),
                .timeout = options.timeout},
               DecodeOptions(options.keep_managed_fields, !options.subresource.empty()), stop);
}

Result<ObjectPtr> ResourceClient::ScaleTo(std::string_view namespace_name, std::string_view name, std::int64_t replicas,
                                          const WriteOptions& options, const std::stop_token& stop) const {
  WriteOptions scale = options;
  scale.subresource = "scale";
  return Patch(namespace_name, name, PatchType::kMerge, json{{"spec", {{"replicas", replicas}}}}.dump(), scale, stop);
}

Result<DeleteResult> ResourceClient::Delete(std::string_view namespace_name, std::string_view name,
                                            const DeleteOptions& options, const std::stop_token& stop) const {
  // An empty name would delete the collection.
  if (name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the object's name is empty"};
  auto path = internal::ResourcePath(resource_, {namespace_name, name});
  if (!path) return std::move(path).error();
  auto response = rest_->Call({.method = "DELETE",
                               .target = *path,
                               .headers = {{"Content-Type", "application/json"}},
                               .body = DeleteBody(options),
                               .timeout = options.timeout},
                              stop);
  if (!response) return std::move(response).error();
  // A Status says that it is gone, the object itself that it is still going.
  auto object = Decode(response->body, DecodeOptions(false, true));
  if (!object) return std::move(object).error();
  if ((*object)->Kind() == "Status" && (*object)->ApiVersion() == "v1") return DeleteResult{};
  return DeleteResult{.pending = (*object)->DeletionTimestamp() ? *object : nullptr};
}

Result<void> ResourceClient::DeleteCollection(const ListOptions& which, const DeleteOptions& options,
                                              const std::stop_token& stop) const {
  auto path = internal::ResourcePath(resource_, {.namespace_name = which.namespace_name});
  if (!path) return std::move(path).error();
  RequestTarget target(*path);
  AddSelectors(target, which.label_selector, which.field_selector);
  target.Add("resourceVersion", which.resource_version).Add("resourceVersionMatch", which.resource_version_match);
  auto response = rest_->Call({.method = "DELETE",
                               .target = target.text(),
                               .headers = {{"Content-Type", "application/json"}},
                               .body = DeleteBody(options),
                               .timeout = options.timeout},
                              stop);
  if (!response) return std::move(response).error();
  return {};
}

Result<WatchStream> ResourceClient::Watch(const WatchOptions& options, const std::stop_token& stop) const {
  auto path = internal::ResourcePath(resource_, {.namespace_name = options.namespace_name});
  if (!path) return std::move(path).error();
  RequestTarget target(*path);
  target.Add("watch", "true");
  AddSelectors(target, options.label_selector, options.field_selector);
  target.Add("resourceVersion", options.resource_version)
      .Add("resourceVersionMatch", options.resource_version_match)
      .Add("allowWatchBookmarks", options.allow_bookmarks ? "true" : "")
      .Add("sendInitialEvents", options.send_initial_events ? (*options.send_initial_events ? "true" : "false") : "")
      .Add("timeoutSeconds", options.timeout.count() > 0 ? std::to_string(options.timeout.count()) : "");
  Request request{.target = target.text(), .idle_timeout = options.idle_timeout, .resumable = true};
  if (metadata_only_) request.headers.emplace_back("Accept", kMetadataOnly);
  auto open = rest_->Open(std::move(request), stop);
  if (!open) return std::move(open).error();
  return WatchStream(std::make_unique<WatchStream::Impl>(
      WatchStream::Impl{.keep_alive = rest_,
                        .stream = std::move(open->stream),
                        .redactor = rest_->redactor(),
                        .object_options = DecodeOptions(options.keep_managed_fields, false)}));
}

}  // namespace kinformer
